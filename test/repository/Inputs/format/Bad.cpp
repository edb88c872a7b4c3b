int  twoSpaces;
