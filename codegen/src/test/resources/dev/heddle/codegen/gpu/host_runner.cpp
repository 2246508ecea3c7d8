/* Runs launches that a file describes and writes what they left in memory. Appended to a source of the host dialect.
 *   runner ORDER IN OUT
 * IN: u32 launches, then for each: u32 length and bytes of the kernel's name, i32 grid x, grid y, threads, u32 arguments, and for each
 * argument u64 size and its bytes. OUT: the bytes of all arguments. Each argument has an allocation of its own, so that a read or
 * write past its end is seen. */
#include <dlfcn.h>
#include <string>
#include <vector>

static FILE *in, *out;
template <class T> static T get() {
  T v;
  if (fread(&v, sizeof v, 1, in) != 1) { fprintf(stderr, "the launches end early\n"); exit(2); }
  return v;
}

int main(int argc, char **argv) {
  if (argc != 4) return 2;
  heddle_order(atoi(argv[1]));
  in = fopen(argv[2], "rb");
  out = fopen(argv[3], "wb");
  if (!in || !out) return 2;
  for (u32 launches = get<u32>(); launches > 0; launches--) {
    std::string name(get<u32>(), ' ');
    for (char &c : name) c = get<char>();
    const i32 gx = get<i32>(), gy = get<i32>(), threads = get<i32>();
    std::vector<std::pair<void *, size_t>> memory;
    std::vector<void *> addresses, arguments;
    for (u32 n = get<u32>(); n > 0; n--) {
      const size_t size = get<u64>();
      void *p = nullptr;
      if (posix_memalign(&p, 64, size) || (size && fread(p, size, 1, in) != 1)) return 2;
      memory.emplace_back(p, size);
      addresses.push_back(p);
    }
    for (void *&a : addresses) arguments.push_back(&a);
    auto kernel = (void (*)(int, int, int, void **))dlsym(RTLD_DEFAULT, name.c_str());
    auto params = (const unsigned *)dlsym(RTLD_DEFAULT, (name + "_params").c_str());
    if (!kernel || !params) { fprintf(stderr, "no kernel %s\n", name.c_str()); return 2; }
    size_t count = 0;
    while (params[count]) count++;
    if (count != arguments.size()) { fprintf(stderr, "%s takes %zu arguments, not %zu\n", name.c_str(), count, arguments.size()); return 2; }
    kernel(gx, gy, threads, arguments.data());
    for (auto &[p, size] : memory) {
      fwrite(p, 1, size, out);
      free(p);
    }
  }
  return fclose(out) != 0;
}
