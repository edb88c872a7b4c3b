/// The owner's name. It says so of a pass that is off.
extern int name;
