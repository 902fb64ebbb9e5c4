# Thin front of the CMake build. make demo and make check install what they miss; other targets list it, with the command
# that installs it, and stop (scripts/deps).
#   make            build; the program is build/riemann2
#   make deps [GROUPS="..."]   install what make needs, or groups of packages (deps.txt)
#   make check      install what is missing, build and run all tests
#   make python     the Python package in a virtual environment, build/venv
#   make wheel      a wheel of it in build/dist that contains the program and all libraries, tried in an empty environment
#   make deb        Debian packages in build/deb, checked with lintian
#   make installation   install those packages and that wheel into minimal roots, and run what README shows there
#   make demo       install what is missing and build; then the tour: two experiments of the paper, with reports in demo/
#   make docs       the documentation as a searchable site, build/docs/html
#   make bench      speed, as ratios measured in one run
#   make explorer   build with the page of riemann2 explore, which needs npm (make alone does where npm is there)
#   make docs-numbers [DATA=folder]  run the experiments whose numbers are in README.md and docs/, and write them there
#   make core       build without Cairo, libmicrohttpd and expat, so without figures, explorer and URDF files, and check that build
#   make install    libraries, headers, program, man page (DESTDIR and prefix are honoured)
#   make conformance CASES=dir   run the library on a folder of conformance values
#   make acceptance DATA=dir     checks on real data that is not part of this repository
#   make asan | fuzz | format | lint    sanitizer tests, long fuzzing, source checks
#   make tsan       tests with several threads under ThreadSanitizer
#   make clang      build with clang, where every warning is an error, and run all tests with its UBSan, which knows more than gcc's
#   make arm64      build for arm64 with gcc and clang, and run the unit tests in qemu
#   make valgrind   the main commands under valgrind
#   make coverage   lines of src and cli that the tests run, by folder; the others in build/coverage/uncovered.txt
#   make faults     every call on a file and every allocation of the program's commands fails once (an hour)
prefix ?= /usr/local
JOBS ?= $(shell nproc)
PRESET ?= release
BUILD = $(if $(filter release,$(PRESET)),build,build/$(PRESET))

# Installing is for the two commands that set everything up, and for those who ask for it.
MODE = $(if $(filter check demo deps,$(MAKECMDGOALS)),,check)
GROUPS = build $(if $(filter core,$(PRESET)),,plot explorer urdf mat)
DEPS = deps-main $(if $(filter core,$(PRESET)),,page)
# The Python package is built and tested with the rest where Debian's Python is there; PYTHON=OFF leaves it out.
PYTHON ?= $(if $(wildcard /usr/bin/python3),$(if $(filter core,$(PRESET)),OFF,ON),OFF)
TEST_GROUPS = test $(if $(filter ON,$(PYTHON)),python python-test)

.PHONY: all deps deps-main deps-test check python wheel deb installation installed-packages installed-wheel docs docs-numbers demo bench explorer page core install conformance acceptance asan tsan clang arm64 valgrind coverage faults fuzz format format-check lint clean

all: $(DEPS)
	@cmake --preset $(PRESET) -DRM2_TESTS=OFF -DRM2_PYTHON_PACKAGE=OFF -DCMAKE_INSTALL_PREFIX=$(prefix) >/dev/null
	@cmake --build $(BUILD) -j $(JOBS)

deps-main:
	@scripts/deps $(MODE) $(GROUPS)

# All that is missing in one list.
deps-test:
	@scripts/deps $(MODE) $(GROUPS) $(TEST_GROUPS)

deps:
	@scripts/deps $(GROUPS)

page: deps-main
	@scripts/page

explorer: deps-npm
	@scripts/page required
	@$(MAKE) --no-print-directory all

deps-%:
	@scripts/deps $(MODE) $*

tests: deps-test $(DEPS)
	@cmake --preset $(PRESET) -DRM2_TESTS=ON -DRM2_PYTHON_PACKAGE=$(PYTHON) -DCMAKE_INSTALL_PREFIX=$(prefix) >/dev/null
	@cmake --build $(BUILD) -j $(JOBS)

# The builds with counters leave out tests that run nothing new: speed, the installed files, the commands of the pages.
SKIPPED = $(if $(filter asan coverage,$(PRESET)),-E '^(bench|installed|cli_documents)$$')

# Of OpenBLAS's kernels those that the program uses: where OpenBLAS does not know the processor, it would choose old ones,
# and each command would start twice.
KERNELS = $$($(BUILD)/riemann2 version --json | sed -n 's/.*"core": "\([^"]*\)".*/\1/p')

check: tests
	@OPENBLAS_CORETYPE=$(KERNELS) ctest --test-dir $(BUILD) -j $$(($(JOBS) + 1)) --output-on-failure $(SKIPPED) # some tests wait

python: $(DEPS) deps-python
	@scripts/python-install build/venv

wheel: $(DEPS) deps-python deps-wheel
	@scripts/wheel build/dist

deb: $(DEPS) deps-mpi deps-python deps-docs deps-deb
	@scripts/deb build/deb

installation: deps-roots
	@$(MAKE) --no-print-directory -j 2 --output-sync installed-packages installed-wheel

installed-packages:
	@tests/install/root in_root_packages '' build/deb/*.deb

installed-wheel:
	@tests/install/root in_root_wheel python3-numpy,python3-pip build/dist/*.whl

docs: tests deps-docs
	@/usr/bin/python3 scripts/docs-outputs $(BUILD)/riemann2
	@/usr/bin/python3 scripts/docs $(BUILD)

docs-numbers: all
	@python3 scripts/docs-numbers run $(BUILD)/riemann2 $(DATA)

demo: all
	@scripts/demo $(BUILD)/riemann2 demo

bench: deps-bench all
	@scripts/bench $(BUILD)

core:
	@$(MAKE) --no-print-directory all PRESET=core
	@tests/cli/plotless $(CURDIR)/build/core/riemann2
	@tests/cli/exploreless $(CURDIR)/build/core/riemann2
	@tests/example/run build/core $(CC)

install: all
	@cmake --install $(BUILD)

conformance: tests
	@test -n "$(CASES)" || { echo "usage: make conformance CASES=dir"; exit 2; }
	@$(BUILD)/tests/conformance/conformance "$(CASES)"

acceptance: tests
	@test -n "$(DATA)" || { echo "usage: make acceptance DATA=dir"; exit 2; }
	@scripts/acceptance $(BUILD)/riemann2 "$(DATA)"

asan:
	@$(MAKE) --no-print-directory check PRESET=asan

tsan: $(DEPS) deps-test
	@cmake --preset tsan -DRM2_TESTS=ON >/dev/null
	@cmake --build build/tsan -j $(JOBS) --target threaded_tests
	@TSAN_OPTIONS=suppressions=$(CURDIR)/tests/support/tsan.supp OMP_NUM_THREADS=1 \
		ctest --test-dir build/tsan -L threads --output-on-failure

clang: deps-fuzz
	@$(MAKE) --no-print-directory check PRESET=clang PYTHON=OFF

arm64: deps-arm64
	@scripts/arm64

# Counts of earlier runs are of other sources, perhaps.
coverage:
	@if [ -d build/coverage ]; then find build/coverage -name '*.gcda' -delete; fi
	-@GCOV_ERROR_FILE=/dev/null $(MAKE) --no-print-directory check PRESET=coverage PYTHON=OFF
	@scripts/coverage build/coverage

valgrind: deps-valgrind all
	@scripts/valgrind $(BUILD)/riemann2

faults: tests
	@RM2_ALL_FAILURES=1 ctest --test-dir $(BUILD) -j $(JOBS) -R '_malloc$$' --output-on-failure
	@tests/faults/run $(CURDIR)/$(BUILD)/riemann2 $(CURDIR)/$(BUILD)/tests/libfaults.so all
	@[ ! -e $(BUILD)/riemann2-mpi ] || tests/cli/mpi_faults $(CURDIR)/$(BUILD)/riemann2 \
		$(CURDIR)/$(BUILD)/riemann2-mpi $(CURDIR)/$(BUILD)/tests/libfaults.so all || [ $$? -eq 77 ]

fuzz: deps-fuzz tests
	@scripts/fuzz

SOURCES = $(shell git ls-files '*.c' '*.h')
format: deps-ci
	@clang-format -i $(SOURCES)

format-check: deps-ci
	@clang-format --dry-run -Werror $(SOURCES)

lint: deps-ci tests
	@scripts/lint $(BUILD)

clean:
	@rm -rf build demo
