namespace {
struct State {
  long count;
};
} // namespace

static int add(int first, int second);
static int add(char a, int b) { return a + b; }

static constexpr unsigned most = 5;
void run() {
  const char names[] = "b";
}
