#include "partita/InitAll.h"
#include "../../../lib/Dialect/Relax.h"
#include "../Instrument/Good.h"
