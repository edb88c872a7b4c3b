namespace {
struct State {
  int count;
};
} // namespace

static int add(int a, int b) { return a + b; }
static int add(long a, int b) { return a + b; }

static constexpr unsigned most = 4;
static const char names[] = "a";
