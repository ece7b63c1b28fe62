# SPDX-License-Identifier: GPL-2.0
# What one does with Memorizer's repository: run, shell, test, bench. See "make help".

scripts := scripts/memorizer
CONFIG ?= $(if $(filter-out 0 n,$(DEFCONFIG)),defconfig,memorizer)
memorizer := build/tools/memorizer

help:
	@echo 'make run      trace "tar zcf" of a directory tree in a guest and report who touched what'
	@echo 'make shell    boot the same kernel to an interactive shell'
	@echo 'make test     all tests; make test TEST="tools core" only those groups, of'
	@echo '              house   the tests themselves          tools   the command memorizer'
	@echo '              cross   memorizer elsewhere           core    the core in user space'
	@echo '              apply   on each source that apt has   series  the exported patches'
	@echo '              guest   KUnit and selftests           boots   parameters, small pool'
	@echo '              stream  recorded traces, and perf     debug, debug-rest  with lockdep, SLUB debugging'
	@echo '              qemu    the plugin for QEMU           sites   where sites are, what they reach'
	@echo '              and, which takes longer, the guest on other kernels: rt (PREEMPT_RT), kfence'
	@echo '              (beside KFENCE, kmemleak, page_owner), gcc11 (built by GCC 11), defconfig; each, after'
	@echo '              each exported patch'
	@echo 'make bench    what Memorizer costs, in guest instructions, memory and time'
	@echo 'make compare  memorizer record beside perf record: whether they agree, and what each costs'
	@echo 'make coverage which accesses sites do not see'
	@echo 'make html     trace a tar in a guest, and make the page and the picture that the README has'
	@echo 'make names    how much of what is accessed and allocated the compiler can name'
	@echo 'make qemu-trace a trace of the cache lines that move, made by a plugin for QEMU'
	@echo 'make commuter which pairs of system calls that commute share memory all the same'
	@echo 'make truth    compare what the KMAP says with what the machine did'
	@echo 'make clean    remove build/'
	@echo
	@echo 'DEFCONFIG=1   for run and shell: build on x86_64 defconfig, instead of the small'
	@echo '              configuration of scripts/memorizer/config'
	@echo
	@echo 'All of them install what is missing (apt, with sudo if need be) and work below build/.'
	@echo 'For a kernel tree of your own: scripts/memorizer/apply TREE, then set CONFIG_MEMORIZER=y.'

kernel:
	@$(scripts)/build --config $(CONFIG)

$(memorizer): kernel
	@$(MAKE) --no-print-directory -s -C tools/memorizer OUTPUT=$(CURDIR)/$(@D)/

run: kernel $(memorizer)
	@$(scripts)/boot --config $(CONFIG) --mode run --mem 2G --out build/out/run
	@ln -sf run/kmap run/kmap.notes run/kallsyms run/show_stats ../$(CONFIG)/vmlinux ../$(CONFIG)/System.map build/out/
	@cat build/out/show_stats
	@$(memorizer) report --vmlinux build/out/vmlinux --kallsyms build/out/kallsyms build/out/kmap

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
