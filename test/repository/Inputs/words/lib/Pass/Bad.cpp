/// A name, and that of its owner.
int name;

/// Counts passes of
/// which none has run.
int count;
