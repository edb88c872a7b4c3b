#include "Bad.h"
#include "../Pipeline/PipelineText.h"
#include "../Run/PlanRun.h"
#include "mlir/Pass/Pass.h"
