# SPDX-License-Identifier: GPL-2.0
# What one does with Memorizer's repository: run, shell, test, bench. See "make help".

scripts := scripts/memorizer
CONFIG ?= $(if $(filter-out 0 n,$(DEFCONFIG)),defconfig,memorizer)
memorizer := build/tools/memorizer

help:
	@echo 'The two commands, with their approximate time on two quiet cores:'
	@echo '  make run        trace "tar zcf" in a guest and show who accessed what   (10 min, then 1)'
	@echo '  make test       run all tests   (35 min when cached)'
	@echo
	@echo '  make test TEST="tools core" runs these groups only:'
	@echo '    house   the tests themselves          tools   the command memorizer'
	@echo '    cross   the command on other machines core    the core in user space'
	@echo '    apply   on each source that apt has   series  the exported patches'
	@echo '    guest   KUnit and selftests           boots   parameters, small pool'
	@echo '    stream  recorded traces, and perf     debug, debug-rest  lockdep, SLUB debugging'
	@echo '    qemu    the plugin for QEMU           sites   where sites are, what they reach'
	@echo '  and, not by default: rt (PREEMPT_RT), kfence (with kmemleak, page_owner), gcc11 (built'
	@echo '  by GCC 11), large (72 CPUs on two nodes, BTF), defconfig, and each (every exported'
	@echo '  patch builds and boots)'
	@echo
	@echo 'Others:'
	@echo '  make shell      boot the same kernel to a shell'
	@echo '  make html       trace a tar and make the page and picture of the README'
	@echo '  make bench      measure the cost in instructions, memory and time   (45 min, kernels built)'
	@echo '  make compare    record with memorizer and with perf: do they agree?'
	@echo '  make coverage   list the accesses that sites do not see'
	@echo '  make names      count what the compiler can name'
	@echo '  make truth      compare the KMAP with what the machine did'
	@echo '  make qemu-trace trace the cache lines that move, with a plugin for QEMU'
	@echo '  make commuter   find commutative system calls that share memory'
	@echo '  make clean      remove build/'
	@echo
	@echo 'DEFCONFIG=1 makes run and shell use x86_64_defconfig, not the small configuration.'
	@echo 'Each target installs its packages (apt, with sudo if needed; the list is in'
	@echo 'scripts/memorizer/setup) and works below build/.'
	@echo 'For a kernel tree of your own: scripts/memorizer/apply TREE, then set CONFIG_MEMORIZER=y.'

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

html: kernel $(memorizer)
	@$(scripts)/html $(CONFIG)

names:
	@$(scripts)/names

qemu-trace:
	@$(scripts)/qemu-trace $(CONFIG)

commuter:
	@$(scripts)/commuter

truth:
	@$(scripts)/truth

clean:
	rm -rf build

.PHONY: help kernel run shell test bench compare coverage html names qemu-trace commuter truth clean
