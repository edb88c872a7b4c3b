static int getOp(int object) { return object; }
