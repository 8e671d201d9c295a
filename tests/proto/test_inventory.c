/* SPDX-License-Identifier: Apache-2.0 */
/* Clusters out of what other programs write: right readings and refusals. */
#include <string.h>

#include "base/text.h"
#include "placement/topology.h"
#include "proto/document.h"
#include "proto/inventory.h"
#include "tests/proto/inventory_fixture.h"
#include "tests/tap.h"

enum { ARENA_BYTES = 64 << 20 };

static struct arena *arena;
static struct tree_maker maker;

static void set_up(void)
{
    arena = arena_new(ARENA_BYTES);
    ck_assert_ptr_nonnull(arena);
    maker = (struct tree_maker){ .arena = arena };
}

static void tear_down(void)
{
    arena_free(arena);
}

static const struct tree *yaml(const char *text)
{
    struct error err = { 0 };
    const struct tree *tree = NULL;

    ck_assert_msg(
        document_read_one(arena, NULL, 1, text, strlen(text), &tree, &err) == 0,
        "%s in %s", err.text, text);
    return tree;
}

static void must_say(const char *want, const struct tree *got)
{
    struct text out = { 0 };

    ck_assert_ptr_nonnull(got);
    document_write_json(got, false, &out);
    ck_assert_msg(says(yaml(want), got), "want %s\n got %s", want,
                  text_string(&out));
    text_close(&out);
}

/* clang-format off */
static const struct {
    const char *format, *text;
    const char *reading; /* what it says, as YAML; more may be said */
    const char *hosts;   /* the hosts of the cluster, all of them */
} right[] = {
    { "hostfile",
      "# two racks\nn07 slots=4 max_slots=8\n\nn9  max_slots=8 slots=2 # last\n"
      "n10\n",
      "hosts: [[n07, 4], [n9, 2], [n10, null]]",
      "[{name: n07, devices: 4}, {name: n9, devices: 2}, {name: n10}]" },
    { "hostfile", "10.1.0.9:4\r\nfd00::7\r\nme@box:2\r\n",
      "hosts: [['10.1.0.9', 4], ['fd00::7', null], [box, 2]]",
      "[{name: '10.1.0.9', devices: 4}, {name: 'fd00::7'},"
      " {name: box, devices: 2}]" },
    { "hostfile", "a\nb\na\nc slots=1\nc slots=3\n",
      "hosts: [[a, null], [b, null], [a, null], [c, 1], [c, 3]]",
      "[{name: a, devices: 2}, {name: b}, {name: c, devices: 4}]" },
    { "rankfile",
      "rank 1=right slot=0\nrank 0=left slot=3-4 # first\nrank 2=right slot=1\n",
      "ranks: [[0, left], [1, right], [2, right]]",
      "[{name: left}, {name: right}]" },
    { "slurm", "gpu[08-10,3]x\nhead,gpu08x\n",
      "expand: {'gpu[08-10,3]x': [gpu08x, gpu09x, gpu10x, gpu3x],"
      " 'head,gpu08x': [head, gpu08x]}",
      "[{name: gpu08x}, {name: gpu09x}, {name: gpu10x}, {name: gpu3x},"
      " {name: head}]" },
    { "slurm",
      "NodeName=c1 Arch=x86_64 CoresPerSocket=4 \n"
      "   CPUAlloc=0 CPUTot=16 CPULoad=0.1\n"
      "   ActiveFeatures=fast,ib\n"
      "   Gres=shard:9,gpu:h100:2(S:0),gpu:l4:1(S:1),disk:2K\n"
      "   NodeAddr=172.16.3.1 NodeHostName=c1 Version=23.02\n"
      "   OS=Linux 6.1 #9 SMP State=odd Jan 1\n"
      "   RealMemory=64000 Sockets=2 Boards=1\n"
      "   State=DOWN*+DRAIN ThreadsPerCore=2 TmpDisk=0\n"
      "   Partitions=a,b \n"
      "   Reason=fan 3 broken, State=IDLE [eve@2026-01-02T03:04:05]\n"
      "\n"
      "NodeName=c2 NodeAddr=c2 CPUTot=8 RealMemory=1000 Gres=gpu:4 State=IDLE\n"
      "NodeName=c3 Gres=gpu:L4M,gpu(S:1),nic:M State=IDLE\n"
      "NodeName=c4 State=IDLE* Gres=gpu:1\n",
      "nodes: [{name: c1, addr: 172.16.3.1, cpus: 16, threads: 2, gpus: 3,"
      " state: DOWN, flags: [DRAIN], usable: false, partitions: [a, b],"
      " reason: 'fan 3 broken, State=IDLE [eve@2026-01-02T03:04:05]',"
      " gres: [{name: shard, type: null, count: 9, sockets: null},"
      " {name: gpu, type: h100, count: 2, sockets: '0'},"
      " {name: gpu, type: l4, count: 1, sockets: '1'},"
      " {name: disk, type: null, count: 2, sockets: null}]},"
      " {name: c2, gpus: 4, state: IDLE, usable: true, reason: null},"
      " {name: c3, gpus: 2, gres: [{name: gpu, type: L4M, count: 1},"
      " {name: gpu, type: null, count: 1, sockets: '1'},"
      " {name: nic, type: M, count: 1}]}, {name: c4, usable: false}]",
      "[{name: c1, addresses: 172.16.3.1, state: down, by: eve,"
      " reason: 'fan 3 broken, State=IDLE',"
      " labels: {partition/a: 'yes', feature/fast: 'yes'},"
      " devices: [{index: 0, model: h100}, {index: 1, model: h100},"
      " {index: 2, model: l4}]}, {name: c2, devices: 4},"
      " {name: c3, devices: [{index: 0, model: L4M}, {index: 1}]},"
      " {name: c4, state: down, devices: 1}]" },
    { "slurm",
      "NodeName=o1 CPUTot=4 Gres=(null) NodeAddr=o1 OS=Linux 5.4 #1 SMP "
      "RealMemory=900 Sockets=1 State=MIXED+PLANNED ThreadsPerCore=1 "
      "Partitions=p Reason=needs rest\n"
      "NodeName=o2 CPUTot=4 Gres=gpu:1 State=IDLE+MAINT Partitions=p\n",
      "nodes: [{name: o1, memory_mib: 900, gpus: 0, gres: [],"
      " state: MIXED, flags: [PLANNED], usable: true, reason: needs rest},"
      " {name: o2, usable: false, reason: null}]",
      "[{name: o1, devices: 0}, {name: o2, state: cordoned, devices: 1}]" },
    { "slurm",
      "# by hand\nSwitchName=core Switches=e[1,2]\n"
      "switchname=e1 nodes=h[1-2]\nSwitchName=e2 Nodes=h10 LinkSpeed=9\n"
      "SwitchName=lone Nodes=z\n",
      "{kind: tree, roots: [core, lone], depth: 2, leaves: 3, switches: 4,"
      " hosts: 4, first_host: h1, last_host: z,"
      " parent: {core: null, e1: core, e2: core, lone: null},"
      " leaf_of: {h1: e1, h2: e1, h10: e2, z: lone}}",
      "[{name: h1, block: e1}, {name: h2, block: e1}, {name: h10, block: e2},"
      " {name: z, block: lone}]" },
    { "slurm", "BlockName=p Nodes=k[1-2]\nBlockName=q Nodes=k3\nBlockSizes=2,4\n",
      "{kind: block, blocks: {p: [k1, k2], q: [k3]}, block_sizes: [2, 4],"
      " hosts: 3}",
      "[{name: k1, block: p}, {name: k2, block: p}, {name: k3, block: q}]" },
    { "nvidia-smi",
      "$ nvidia-smi topo -m\n"
      "\t\033[4mGPU0\tGPU1\tGPU2\tGPU3\tNIC0\tNIC1\tCPU Affinity\tNUMA Affinity"
      "\tGPU NUMA ID\033[0m\n"
      "GPU0\t X \tNV6\tSYS\tPHB\tPIX\tSYS\t0-7\t0\t\tN/A\n"
      "GPU1\tNV6\t X \tNV2\tSYS\tPIX\tSYS\t\t0-1\t\tN/A\n"
      "GPU2\tSYS\tNV2\tX\tSYS\tSYS\tSYS\t8-15\t1\t\t3\n"
      "GPU3\tPHB\tSYS\tSYS\t X \tSYS\tSYS\t8-15\tN/A\t\tN/A\n"
      "NIC0\tPIX\tPIX\tSYS\tSYS\t X \tSYS\n"
      "\nLegend:\n\n  X    = Self\n\nNIC Legend:\n\n  NIC0: ib7\n",
      "{gpus: 4, nvlinks: {0-1: 6, 1-2: 2}, nics: [NIC0=ib7, NIC1],"
      " nvlink_islands: [[0, 1, 2], [3]], islands_all_to_all: [false, true],"
      " devices: [{name: GPU0, cpu_affinity: 0-7, numa_affinity: '0'},"
      " {name: GPU1, cpu_affinity: null, numa_affinity: 0-1},"
      " {name: GPU2, gpu_numa_id: '3'}, {name: GPU3, numa_affinity: N/A}]}",
      "[{name: localhost, devices: [{index: 0, numa: 0, domain: localhost/0},"
      " {index: 1, domain: localhost/0}, {index: 2, numa: 1}, {index: 3}]}]" },
    { "nvidia-smi",
      "      GPU0  GPU1  CPU Affinity  NUMA Affinity\n"
      "GPU0   X    NODE  0-3           1\n"
      "GPU1  NODE   X    0-3           1\n",
      "{gpus: 2, nvlinks: {}, nvlink_islands: [[0], [1]], nics: []}",
      "[{name: localhost, devices: [{index: 0, numa: 1}, {index: 1}]}]" },
    { "nvidia-smi",
      "uuid, memory.total [MiB], serial, index, gpu_bus_id, gpu_name\n"
      "GPU-x, 80 GiB, 1, 1, 00010000:CB:00.0, Card, \n"
      "GPU-y, [N/A], 2, 0, 0000:0B:1F.7, [Unknown Error], \n",
      "", "" },
    { "nvidia-smi",
      "uuid, memory.total [MiB], serial, index, gpu_bus_id, gpu_name\n"
      "GPU-x, 80 GiB, 1, 1, 00010000:CB:00.0, Card\n"
      "GPU-y, [N/A], 2, 0, 0000:0B:1F.7, [Unknown Error]\n",
      "devices: [{index: 1, uuid: GPU-x, pci: '10000:cb:00.0',"
      " memory_mib: 81920, name: Card}, {index: 0, uuid: GPU-y,"
      " pci: '0000:0b:1f.7', memory_mib: null, name: null}]",
      "[{name: localhost, devices: [{index: 1, uuid: GPU-x, model: Card,"
      " pci: '10000:cb:00.0'}, {index: 0, uuid: GPU-y,"
      " pci: '0000:0b:1f.7'}]}]" },
    { "rocm-smi",
      "==== Hops between two GPUs ====\n       GPU0   GPU1   GPU2\n"
      "GPU0   0      1      2\nGPU1   1      0      2\nGPU2   2      2      0\n"
      "==== Link Type between two GPUs ====\n       GPU0   GPU1   GPU2\n"
      "GPU0   0      XGMI   PCIE   \nGPU1   XGMI   0      PCIE\n"
      "GPU2   PCIE   PCIE   0\n"
      "==== Numa Nodes ====\nGPU[0]\t\t: (Topology) Numa Node: 1\n"
      "GPU[1]\t\t: (Topology) Numa Node: -1\n",
      "{gpus: 3, numa: [1, null, null], islands: [[0, 1], [2]],"
      " link_type: [['0', XGMI, PCIE], [XGMI, '0', PCIE], [PCIE, PCIE, '0']]}",
      "[{name: localhost, devices: [{index: 0, numa: 1, domain: localhost/0},"
      " {index: 1, domain: localhost/0}, {index: 2}]}]" },
    { "flux",
      "{\"version\":1,\"execution\":{\"R_lite\":["
      "{\"rank\":\"2\",\"children\":{\"core\":\"0\"}},"
      "{\"rank\":\"0-1\",\"children\":{\"core\":\"0-7\",\"gpu\":\"1,3\"}}],"
      "\"nodelist\":[\"f[1-2]\",\"fat\"],\"properties\":{\"big\":\"2\"}}}",
      "{hosts: 3, ranks: 3, first: [f1, 0], last: [fat, 2],"
      " rank_to_host: [f1, f2, fat], properties: {big: '2'}}",
      "[{name: f1, devices: [{index: 1}, {index: 3}]}, {name: f2},"
      " {name: fat, devices: [], labels: {big: 'yes'}}]" },
    { "hwloc",
      "<?xml version=\"1.0\"?>\n<!DOCTYPE topology SYSTEM \"hwloc2.dtd\">\n"
      "<topology version=\"2.0\">\n"
      "<object type=\"Machine\" os_index=\"0\" gp_index=\"1\">\n"
      " <info name=\"HostName\" value=\"a&amp;b\"/>\n"
      " <object type=\"Package\" os_index=\"0\" gp_index=\"2\">\n"
      "  <object type=\"NUMANode\" os_index=\"5\" gp_index=\"3\"/>\n"
      "  <object type=\"PCIDev\" gp_index=\"4\" pci_busid=\"0001:0A:00.0\">\n"
      "   <object type=\"OSDev\" gp_index=\"9\" name=\"nvml1\">\n"
      "    <info name=\"NVIDIAUUID\" value=\"GPU-one\"/></object>\n"
      "   <object type=\"OSDev\" gp_index=\"8\" name=\"cuda0\"/></object>\n"
      "  <object type=\"PCIDev\" gp_index=\"6\" pci_busid=\"0001:0b:00.0\">\n"
      "   <object type=\"OSDev\" gp_index=\"7\" name=\"nvml0\"/></object>\n"
      " </object></object>\n"
      "<distances2 type=\"OSDev\" nbobjs=\"2\" name=\"NVLinkBandwidth\">\n"
      " <indexes length=\"3\">9 7 </indexes>\n"
      " <u64values length=\"9\">100 50\n50 100 </u64values></distances2>\n"
      "</topology>\n",
      "{gpus: 2, numa_nodes: 1, nvlink_pairs: {0-1: 50},"
      " nvlink_islands: [[0, 1]], package_links: {'0': []}}",
      "" },
};
/* clang-format on */

static int read_text(const char *format, const char *text, size_t len,
                     const char *host, struct inventory *ret, struct error *err)
{
    const struct inventory_source source = {
        .name = "file", .text = text, .len = len, .host = host
    };

    return inventory_named(format)->read(&source, &maker, ret, err);
}

START_TEST(a_text_is_read_as_it_is_meant)
{
    const char *text = right[_i].text;
    struct inventory got;
    struct error err = { 0 };
    int rc = read_text(right[_i].format, text, strlen(text), NULL, &got, &err);

    if (*right[_i].reading == '\0') { /* a field too many */
        ck_assert_int_lt(rc, 0);
        ck_assert_ptr_null(got.document);
        return;
    }
    must_say(right[_i].reading, got.reading);
    if (*right[_i].hosts == '\0') { /* a & cannot be in a host's name */
        ck_assert_int_eq(rc, 0);
        ck_assert_ptr_null(topology_load(arena, got.document, &err));
        return;
    }
    ck_assert_msg(rc == 0, "%s", err.text);
    must_say(right[_i].hosts, child(got.document, "hosts"));
    ck_assert_msg(topology_load(arena, got.document, &err) != NULL, "%s",
                  err.text);
}
END_TEST

START_TEST(a_text_that_is_cut_or_garbled_is_read_or_refused)
{
    const char *text = right[_i].text;
    size_t len = strlen(text);
    uint64_t seed = (uint64_t)_i + 1;

    for (size_t n = 0; n <= len; n++) {
        char garbled[4096];
        struct inventory got;
        struct error err;

        memcpy(garbled, text, n);
        read_text(right[_i].format, garbled, n, "h", &got, &err);
        arena_reset(arena);
        maker = (struct tree_maker){ .arena = arena };
        memcpy(garbled, text, len);
        for (int k = 0; k < 3; k++) {
            seed = seed * 6364136223846793005U + 1442695040888963407U;
            garbled[(seed >> 33) % len] =
                "\n\t []=,:-<>\"/X0GN\033\300"[(seed >> 20) % 19];
        }
        if (read_text(right[_i].format, garbled, len, "h", &got, &err) == 0)
            ck_assert_ptr_nonnull(got.document);
        else
            ck_assert_ptr_null(got.document);
        arena_reset(arena);
        maker = (struct tree_maker){ .arena = arena };
    }
}
END_TEST

static const struct {
    const char *format, *text, *said;
} refused[] = {
    { "hostfile", "", "no host" },
    { "hostfile", "a slots=x\n", "line 1: \"x\" is no number of slots" },
    { "hostfile", "ok\nb slot=2\n", "line 2: nothing is known of slot=" },
    { "hostfile", "a b\n", "slots=N" },
    { "hostfile", "a:b\n", "\"b\" is no number" },
    { "hostfile", "a slots=9999999999\n", "no number" },
    { "hostfile", "a slots=300\n", "the most of a host" },
    { "hostfile", "a/b\n", "cannot be the name" },
    { "hostfile", "a\xff\n", "UTF-8" },
    { "rankfile", "rank 0=a\nrank 0=b\n", "two hosts, a and b" },
    { "rankfile", "rank x=a\n", "rank N=HOST" },
    { "rankfile", "0=a\n", "rank N=HOST" },
    { "rankfile", "rank 0=+n1 slot=0\n", "name the host" },
    { "slurm", "n[1-]\n", "no list of numbers" },
    { "slurm", "n[3-1]\n", "write 1-3" },
    { "slurm", "n[1,]\n", "last comma" },
    { "slurm", "n[]\n", "empty" },
    { "slurm", "a,,b\n", "empty" },
    { "slurm", "n[[1]]\n", "no other" },
    { "slurm", "n]1[\n", "no other" },
    { "slurm", "n[1-99999999]\n", "more than" },
    { "slurm", "n[1-1000][1-1000]\n", "more than" },
    { "slurm", "CPUTot=3\nNodeName=a\n", "expected \"NodeName=\"" },
    { "slurm", "NodeName= State=IDLE\n", "name of a node" },
    { "slurm", "NodeName=a Gres=gpu:999 State=IDLE\n", "at most, not 999" },
    { "slurm", "NodeName=a Gres=gpu:l4:99999999999 State=IDLE\n",
      "does not have 99999999999 devices" },
    { "slurm", "SwitchName=a Switches=b\n", "no line of its own" },
    { "slurm", "SwitchName=a Switches=b\nSwitchName=b Switches=a\n",
      "below itself" },
    { "slurm",
      "SwitchName=a Switches=c\nSwitchName=b Switches=c\n"
      "SwitchName=c Nodes=n\n",
      "two switches, a and b" },
    { "slurm", "SwitchName=a Nodes=n\nSwitchName=a Nodes=m\n", "twice" },
    { "slurm", "SwitchName=a Nodes=n1\nSwitchName=b Nodes=n[1-2]\n",
      "node n1 stands in two switches" },
    { "slurm", "SwitchName=a Nodes=n Switches=b\n", "one of both" },
    { "slurm", "SwitchName=a Nodes=n\nBlockName=b Nodes=m\n", "one kind" },
    { "slurm", "SwitchName=a Nodez=n\n", "nothing is known of Nodez" },
    { "nvidia-smi", "Driver not loaded\n", "no line that names devices" },
    { "nvidia-smi", "GPU0 GPU1 CPU Affinity\nGPU0 X NV1 0\n",
      "the row of GPU1 is missing" },
    { "nvidia-smi", "GPU0 GPU2\n", "stands where GPU1 should" },
    { "nvidia-smi", "GPU0 GPU1\nGPU0 X NV1\nGPU1 NV2 X\n",
      "by NV1 and by NV2" },
    { "nvidia-smi", "GPU0 GPU1\nGPU0 X FAST\n", "\"FAST\" is no link" },
    { "nvidia-smi", "GPU0 GPU1\nGPU0 SYS X\n", "linked by" },
    { "nvidia-smi", "GPU0 GPU1\nGPU0 X SYS\nGPU0 X SYS\n", "already" },
    { "nvidia-smi", "GPU0 GPU1\nGPU7 X SYS\n", "does not name" },
    { "nvidia-smi", "0, GPU-1, 80 MiB\n", "keep the titles" },
    { "nvidia-smi", "index, index\n", "stands twice" },
    { "nvidia-smi", "index, uuid\n0\n", "1 fields and 2 titles" },
    { "nvidia-smi", "index, uuid\nzero, x\n", "no index" },
    { "nvidia-smi", "index, pci.bus_id\n0, 1b\n", "no PCI address" },
    { "nvidia-smi", "index, memory.total [MiB]\n0, 5 TB\n", "no unit" },
    { "rocm-smi", "nothing\n", "no table" },
    { "rocm-smi", "GPU0 GPU1\n", "no row of GPU0" },
    { "rocm-smi", "GPU0 GPU1\n== Link Type ==\nGPU0 GPU1\nGPU0 0\n",
      "has not 2 cells" },
    { "rocm-smi", "== Link Type ==\nGPU0 GPU1\nGPU0 0 XGMI\nGPU1 PCIE 0\n",
      "linked one way" },
    { "flux", "{}", "R_lite" },
    { "flux", "[1]", "R_lite" },
    { "flux", "{", "line" },
    { "flux", "{\"execution\":{\"R_lite\":[{\"rank\":\"0-3\"}]}}",
      "no nodelist" },
    { "flux",
      "{\"execution\":{\"R_lite\":[{\"rank\":\"0,0\"}],"
      "\"nodelist\":[\"a\"]}}",
      "rank 0 stands twice" },
    { "flux",
      "{\"execution\":{\"R_lite\":[{\"rank\":\"0-1\"}],"
      "\"nodelist\":[\"a\"]}}",
      "names 1 hosts, and there are 2" },
    { "flux",
      "{\"execution\":{\"R_lite\":[{\"rank\":\"0\"}],"
      "\"nodelist\":[\"a\"],\"properties\":{\"p\":\"4\"}}}",
      "does not name" },
    { "flux",
      "{\"execution\":{\"R_lite\":[{\"rank\":3}],"
      "\"nodelist\":[3]}}",
      "" },
    { "hwloc", "<a", "no end" },
    { "hwloc", "<html></html>", "no topology" },
    { "hwloc", "<topology><object type=\"Machine\">", "no topology" },
    { "hwloc", "<topology a=b>", "cannot be read" },
};

START_TEST(what_cannot_be_read_is_refused_with_its_place)
{
    struct inventory got;
    struct error err = { 0 };

    ck_assert_int_lt(read_text(refused[_i].format, refused[_i].text,
                               strlen(refused[_i].text), NULL, &got, &err),
                     0);
    ck_assert_ptr_null(got.document);
    ck_assert_msg(strstr(err.text, refused[_i].said) != NULL, "%s", err.text);
}
END_TEST

/* ---- uniting ------------------------------------------------------------ */

static const struct {
    const char *documents[3];
    const char *want; /* NULL: refused */
} unions[] = {
    { { "hosts: [{name: b, block: r}, {name: a, devices: 2}]",
        "hosts: [{name: a, block: q, labels: {x: '1'}}]",
        "hosts: [{name: c}, {name: a, labels: {y: '2'}}]" },
      "hosts: [{name: b, block: r}, {name: a, devices: 2, block: q,"
      " labels: {x: '1', y: '2'}}, {name: c}]" },
    { { "hosts: [{name: a, devices: [{index: 0, numa: 1}, {index: 1}]}]",
        "hosts: [{name: a, devices: [{index: 1, uuid: u}, {index: 0}]}]" },
      "hosts: [{name: a, devices: [{index: 0, numa: 1},"
      " {index: 1, uuid: u}]}]" },
    { { "hosts: [{name: a, devices: 1}]",
        "hosts: [{name: a, devices: [{index: 0, uuid: u}]}]" },
      "hosts: [{name: a, devices: [{index: 0, uuid: u}]}]" },
    { { "hosts: [{name: a, devices: 2}]", "hosts: [{name: a, devices: 2}]" },
      "hosts: [{name: a, devices: 2}]" },
    { { "hosts: [{name: a, devices: 2}]", "hosts: [{name: a, devices: 3}]" },
      NULL },
    { { "hosts: [{name: a, devices: 2}]",
        "hosts: [{name: a, devices: [{index: 0}]}]" },
      NULL },
    { { "hosts: [{name: a, block: p}]", "hosts: [{name: a, block: q}]" },
      NULL },
    { { "hosts: [{name: a, devices: [{index: 0, uuid: u}]}]",
        "hosts: [{name: a, devices: [{index: 0, uuid: v}]}]" },
      NULL },
    { { "hosts: [{block: p}]" }, NULL },
};

START_TEST(clusters_are_united_by_host)
{
    const struct tree *documents[3];
    struct tree *got = NULL;
    struct error err = { 0 };
    size_t n = 0;

    while (n < 3 && unions[_i].documents[n] != NULL) {
        documents[n] = yaml(unions[_i].documents[n]);
        n++;
    }
    if (unions[_i].want == NULL) {
        ck_assert_int_lt(inventory_merge(documents, n, &maker, &got, &err), 0);
        return;
    }
    ck_assert_msg(inventory_merge(documents, n, &maker, &got, &err) == 0, "%s",
                  err.text);
    must_say(unions[_i].want, got);
}
END_TEST

START_TEST(a_format_that_is_not_there_has_no_row)
{
    ck_assert_ptr_null(inventory_named("nvidia"));
    for (size_t i = 0; i < inventory_n_formats; i++)
        ck_assert_ptr_eq(inventory_named(inventory_formats[i].name),
                         &inventory_formats[i]);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("inventory");
    TCase *tcase = tcase_create("core");

    tcase_add_checked_fixture(tcase, set_up, tear_down);
    tcase_add_loop_test(tcase, a_text_is_read_as_it_is_meant, 0,
                        ARRAY_LEN(right));
    tcase_add_loop_test(tcase, a_text_that_is_cut_or_garbled_is_read_or_refused,
                        0, ARRAY_LEN(right));
    tcase_add_loop_test(tcase, what_cannot_be_read_is_refused_with_its_place, 0,
                        ARRAY_LEN(refused));
    tcase_add_loop_test(tcase, clusters_are_united_by_host, 0,
                        ARRAY_LEN(unions));
    tcase_add_test(tcase, a_format_that_is_not_there_has_no_row);
    suite_add_tcase(suite, tcase);
    return tap_run(suite);
}
