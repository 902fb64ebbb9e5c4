/* The module: exceptions, types and functions. */
#include "glue.h"

static PyModuleDef definition = {PyModuleDef_HEAD_INIT,
                                 "riemann2._core",
                                 "The C library behind riemann2.",
                                 -1,
                                 NULL,
                                 NULL,
                                 NULL,
                                 NULL,
                                 NULL};

PyMODINIT_FUNC PyInit__core(void);

PyMODINIT_FUNC PyInit__core(void) {
    PyObject *module = PyModule_Create(&definition);
    if (module && glue_add(module) && objects_add(module) && settings_add(module) &&
        covariance_add(module) && manifold_add(module) && data_add(module) && model_add(module) &&
        report_add(module) && predict_add(module) && space_add(module) && curves_add(module) &&
        metric_add(module) && planner_add(module) && trajectory_add(module) && kernel_add(module) &&
        eval_add(module) && cross_add(module) && add_add(module) && statistics_add(module) &&
        robot_add(module) && plot_add(module) && urdf_add(module) &&
        PyModule_AddStringConstant(module, "version", rm2_version()) == 0)
        return module;
    Py_XDECREF(module);
    return NULL;
}
