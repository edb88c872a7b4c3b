// RUN: partita-opt %s --split-input-file --verify-diagnostics '--relax-convert-layout=desired-layouts=relax.nn.conv2d=NHWX:OHWI,relax.exp=NHWC'
// RUN: not partita-opt %s --relax-convert-layout=desired-layouts=NHWC 2>&1 | FileCheck %s --check-prefix=NO-OP
// NO-OP: error: expected desired layouts such as relax.nn.conv2d=NHWC:OHWI, but found 'NHWC'

partita.module {
  relax.func @wrong_letter(%x: tensor<1x3x8x8xf32>, %w: tensor<4x3x3x3xf32>) -> tensor<1x4x6x6xf32> {
    %y = relax.dataflow -> tensor<1x4x6x6xf32> {
      // expected-error@+1 {{expected a desired layout of the dimensions NCHW, but found 'NHWX'}}
      %0 = relax.nn.conv2d %x, %w : tensor<1x3x8x8xf32>, tensor<4x3x3x3xf32> -> tensor<1x4x6x6xf32>
      relax.output %0 : tensor<1x4x6x6xf32>
    }
    relax.return %y : tensor<1x4x6x6xf32>
  }
}

// -----

partita.module {
  relax.func @no_weight(%x: tensor<1x3x8x8xf32>, %w: tensor<4x3x3x3xf32>) -> tensor<1x4x6x6xf32> {
    %y = relax.dataflow -> tensor<1x4x6x6xf32> {
      // expected-error@+1 {{expected a desired layout of the dimensions OIHW, but found 'NHWC'}}
      %0 = relax.nn.conv2d %x, %w {relax.desired_layouts = ["NHWC"]} : tensor<1x3x8x8xf32>, tensor<4x3x3x3xf32> -> tensor<1x4x6x6xf32>
      relax.output %0 : tensor<1x4x6x6xf32>
    }
    relax.return %y : tensor<1x4x6x6xf32>
  }
}

// -----

partita.module {
  relax.func @huge(%x: tensor<1x3x8x8xf32>, %w: tensor<4x3x3x3xf32>) -> tensor<1x4x6x6xf32> {
    %y = relax.dataflow -> tensor<1x4x6x6xf32> {
      // expected-error@+1 {{but found 'NCHW99999999999999999999c'}}
      %0 = relax.nn.conv2d %x, %w {relax.desired_layouts = ["NCHW99999999999999999999c", "OIHW"]} : tensor<1x3x8x8xf32>, tensor<4x3x3x3xf32> -> tensor<1x4x6x6xf32>
      relax.output %0 : tensor<1x4x6x6xf32>
    }
    relax.return %y : tensor<1x4x6x6xf32>
  }
}

// -----

partita.module {
  relax.func @none(%x: tensor<1x3x8x8xf32>) -> tensor<1x3x8x8xf32> {
    %y = relax.dataflow -> tensor<1x3x8x8xf32> {
      // expected-error@+1 {{expected no desired layouts, since it computes on the layouts that it gets, but found some}}
      %0 = relax.exp %x : tensor<1x3x8x8xf32>
      relax.output %0 : tensor<1x3x8x8xf32>
    }
    relax.return %y : tensor<1x3x8x8xf32>
  }
}
