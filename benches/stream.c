/* What the host loops are held against: STREAM-like loops in C, 4-byte elements, OpenMP.
 *
 *   gcc -O3 -fopenmp benches/stream.c -o stream
 *   ./stream MEBIBYTES [NAME]     one line per loop (whose name starts so): name and GB/s, the median of 15
 *
 * The size is that of all arrays of a loop together, as in the Rust side (benches/host.rs), which is
 *
 *   STRIDEMARK_HOST_MIB=MEBIBYTES cargo bench --bench host
 *
 * Run the two in turn several times and compare ratios: machines change their speed within seconds.
 * The Rust side asks for huge pages; with glibc, GLIBC_TUNABLES=glibc.malloc.hugetlb=1 does here.
 * No -march=native: the Rust side is compiled for the baseline of the target too. */
#include <omp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define REPEATS 15

static uint32_t *filled(size_t n, uint32_t seed)
{
    uint32_t *p = aligned_alloc(256, n * sizeof *p);
    if (!p)
        exit(1);
#pragma omp parallel for schedule(static)
    for (size_t i = 0; i < n; i++)
        p[i] = (uint32_t)((i + seed) * 0x9e3779b97f4a7c15ull >> 32);
    return p;
}

static volatile uint32_t sink;

static void read_all(const uint32_t *a, size_t n)
{
    uint32_t sum = 0;
#pragma omp parallel for schedule(static) reduction(+ : sum)
    for (size_t i = 0; i < n; i++)
        sum += a[i];
    sink = sum;
}

static void copy(uint32_t *restrict d, const uint32_t *restrict a, size_t n)
{
#pragma omp parallel for schedule(static)
    for (size_t i = 0; i < n; i++)
        d[i] = a[i];
}

static void triad(uint32_t *restrict d, const uint32_t *restrict a, const uint32_t *restrict b, size_t n)
{
#pragma omp parallel for schedule(static)
    for (size_t i = 0; i < n; i++)
        d[i] = a[i] + 3 * b[i];
}

/* The finaliser of SplitMix64, upper half: the Rust side's uniform indices are made alike. */
static uint32_t scrambled(uint64_t i)
{
    uint64_t z = (i + 1) * 0x9e3779b97f4a7c15ull;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ z >> 27) * 0x94d049bb133111ebull;
    return (uint32_t)((z ^ z >> 31) >> 32);
}

/* Sums of elements a step apart, and of those that an index stream names. */
static void stride(const uint32_t *a, size_t words, size_t step)
{
    uint32_t sum = 0;
#pragma omp parallel for schedule(static) reduction(+ : sum)
    for (size_t i = 0; i < words / step; i++)
        sum += a[i * step];
    sink = sum;
}

/* 8-byte elements, as Spatter's. */
static void stride_pairs(const uint64_t *a, size_t pairs, size_t step)
{
    uint64_t sum = 0;
#pragma omp parallel for schedule(static) reduction(+ : sum)
    for (size_t i = 0; i < pairs / step; i++)
        sum += a[i * step];
    sink = (uint32_t)sum;
}

static void gather(const uint32_t *a, const uint32_t *index, size_t n)
{
    uint32_t sum = 0;
#pragma omp parallel for schedule(static) reduction(+ : sum)
    for (size_t i = 0; i < n; i++)
        sum += a[index[i]];
    sink = sum;
}

static const char *wanted = "";

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

#define TIME(name, bytes, call)                                              \
    do {                                                                     \
        if (strncmp(name, wanted, strlen(wanted)) != 0)                      \
            break;                                                           \
        double times[REPEATS];                                               \
        call;                                                                \
        for (int r = 0; r < REPEATS; r++) {                                  \
            double start = omp_get_wtime();                                  \
            call;                                                            \
            times[r] = omp_get_wtime() - start;                              \
        }                                                                    \
        qsort(times, REPEATS, sizeof *times, ascending);                     \
        printf("%s %.2f\n", name, (double)(bytes) / times[REPEATS / 2] / 1e9); \
    } while (0)

int main(int argc, char **argv)
{
    size_t words = (size_t)(argc > 1 ? atoll(argv[1]) : 1024) << 18;
    wanted = argc > 2 ? argv[2] : "";
    uint32_t *a = filled(words, 1);
    TIME("read", words * 4, read_all(a, words));
    TIME("stride64", words / 16 * 4, stride(a, words, 16));
    TIME("stride16-pairs", words * 2, stride_pairs((const uint64_t *)a, words / 2, 2));
    TIME("stride64-pairs", words / 2, stride_pairs((const uint64_t *)a, words / 2, 8));
    size_t half = words / 2, third = words / 3;
    uint32_t *d = filled(half, 2), *b = filled(half, 3);
    TIME("copy", half * 8, copy(d, a, half));
    TIME("triad", third * 12, triad(d, a, b, third));
    size_t power = 1;
    while (power * 2 <= half)
        power *= 2;
    for (size_t i = 0; i < power; i++)
        b[i] = (uint32_t)i;
    TIME("gather-sequential", power * 4, gather(a, b, power));
    for (size_t i = 0; i < power; i++)
        b[i] = scrambled(i) & (uint32_t)(power - 1);
    TIME("gather-uniform", power * 4, gather(a, b, power));
    free(a), free(b), free(d);
    return 0;
}
