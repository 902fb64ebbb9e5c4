/* A geometry of one's own for the tests of the package: spheres under another name. */
#include <riemann2.h>

#pragma GCC visibility push(default)
const rm2_geometry *globe(void);
const rm2_geometry *nameless(void);
#pragma GCC visibility pop

const rm2_geometry *globe(void) {
    static rm2_geometry table;
    table = rm2_sphere;
    table.name = "Globe";
    return &table;
}

const rm2_geometry *nameless(void) {
    static rm2_geometry table;
    return &table;
}
