# SPDX-License-Identifier: GPL-2.0
# Targets of Memorizer's repository: run, shell, test, bench ... See "make help".

scripts := scripts/memorizer
CONFIG ?= $(if $(filter-out 0 n,$(DEFCONFIG)),defconfig,memorizer)
memorizer := build/tools/memorizer

help:
	@echo 'Main targets, with their approximate time on two quiet cores:'
	@echo '  make run        trace "tar zcf" in a guest and report its accesses   (13 min, then 1)'
	@echo '  make test       run the tests   (75 min with empty caches)'
	@echo
	@echo '  make test TEST="tools core" runs these groups only:'
	@echo '    house   the scripts and tests         tools   the command memorizer'
	@echo '    cross   the command on s390x, armhf   core    the core in user space'
	@echo '    apply   each kernel source of apt     series  the exported patches'
	@echo '    guest   KUnit and selftests           boots   boot parameters, pool sizes'
	@echo '    stream  recorded traces, and perf     debug   lockdep, SLUB debugging'
	@echo '    qemu    the plugin; truth in short    sites   placement of sites, stack use'
	@echo '    stress  two guests of make stress'
	@echo '  Groups that do not run by default: debug-rest (the other selftests with lockdep),'
	@echo '  rt (PREEMPT_RT), kfence (also kmemleak, page_owner),'
	@echo '  gcc11 (built by GCC 11), large (72 CPUs on two nodes, BTF), defconfig, minimal (without'
	@echo '  optional features), and each (build and boot every exported patch)'
	@echo
	@echo 'Other targets:'
	@echo '  make shell      boot the same kernel to a shell'
	@echo '  make html       trace a tar; make the HTML page and picture of the README'
	@echo '  make bench      measure overhead in instructions, memory and time   (45 min, kernels built)'
	@echo '  make compare    compare recordings of memorizer and perf'
	@echo '  make stress     run random operations under load, in many guest configurations (FOR=2h, SEED=1)'
	@echo '  make soak       allocate 100 million objects while they are streamed (N=100000000)'
	@echo '  make fuzz       fuzz the core, compare it with its model (FOR=10m)'
	@echo '  make fuzz-files fuzz the parsers of the command, and of filters (FOR=10m for each)'
	@echo '  make mutants    mutate the core (N=300, SEED=1), and report mutants that no test detects'
	@echo '  make gcov       measure which lines of the kernel code the tests execute'
	@echo '  make coverage   measure the accesses without a site'
	@echo '  make names      measure the accesses and allocations that the compiler names'
	@echo '  make privilege  measure how little of what the kernel may do it needs to do'
	@echo '  make truth      compare the KMAP and calls with what the machine does                 (5 min)'
	@echo '  make qemu-trace trace moving cache lines with the QEMU plugin'
	@echo '  make commuter   find commutative system calls that share memory'
	@echo '  make clean      remove build/'
	@echo
	@echo 'With DEFCONFIG=1, run and shell use x86_64_defconfig instead of the small configuration.'
	@echo 'Each target installs its packages (apt, with sudo if needed; listed in'
	@echo 'scripts/memorizer/setup) and writes to build/ only.'
	@echo 'To use your own kernel tree: scripts/memorizer/apply TREE, then set CONFIG_MEMORIZER=y.'

kernel:
	@$(scripts)/build --config $(CONFIG)

$(memorizer): kernel
	@$(scripts)/setup tools
	@$(MAKE) --no-print-directory -s -C tools/memorizer OUTPUT=$(CURDIR)/$(@D)/

run:
	@$(scripts)/run $(CONFIG)

shell: kernel
	@$(scripts)/boot --config $(CONFIG) --mode shell --mem 2G

test:
	@$(scripts)/test $(TEST)

bench:
	@$(scripts)/bench

compare:
	@$(scripts)/compare

coverage:
	@$(scripts)/coverage

mutants:
	@$(scripts)/setup compile
	@tools/testing/memorizer/mutants -n $(or $(N),300) -s $(or $(SEED),1)

gcov:
	@$(scripts)/gcov $(TEST)

fuzz:
	@$(scripts)/setup fuzz
	@$(MAKE) --no-print-directory -s -C tools/testing/memorizer OUTPUT=$(CURDIR)/build/testing-memorizer/ \
		$(if $(FOR),FOR=$(FOR)) fuzz

fuzz-files:
	@$(scripts)/setup fuzz tools test-tools
	@$(MAKE) --no-print-directory -s -C tools/memorizer OUTPUT=$(CURDIR)/$(dir $(memorizer)) \
		$(if $(FOR),FOR=$(FOR)) fuzz
	@$(MAKE) --no-print-directory -s -C tools/testing/memorizer OUTPUT=$(CURDIR)/build/testing-memorizer/ \
		$(if $(FOR),FOR=$(FOR)) fuzz-filter

stress:
	@$(scripts)/stress --for $(or $(FOR),2h) --seed $(or $(SEED),1)

soak:
	@$(scripts)/soak $(N)

html: kernel $(memorizer)
	@$(scripts)/html $(CONFIG)

privilege:
	@$(scripts)/privilege

names:
	@$(scripts)/names

qemu-trace:
	@$(scripts)/qemu-trace $(CONFIG)

commuter:
	@$(scripts)/commuter

truth:
	@$(scripts)/truth 2
	@$(scripts)/truth --kinds 4
	@$(scripts)/truth --calls 4

clean:
	rm -rf build

.PHONY: help kernel run shell test bench compare coverage gcov mutants fuzz fuzz-files stress soak html names privilege qemu-trace commuter truth clean
