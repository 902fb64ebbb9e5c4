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

static PyMethodDef *const functions[] = {settings_functions,   covariance_functions,
                                         manifold_functions,   data_functions,
                                         model_functions,      report_functions,
                                         predict_functions,    space_functions,
                                         curves_functions,     meet_functions,
                                         metric_functions,     planner_functions,
                                         trajectory_functions, kernel_functions,
                                         eval_functions,       cross_functions,
                                         add_functions,        statistics_functions,
                                         robot_functions,      plot_functions,
                                         urdf_functions,       NULL};

PyMODINIT_FUNC PyInit__core(void) {
    PyObject *module = PyModule_Create(&definition);
    bool good = module && glue_add(module) && objects_add(module);
    for (size_t k = 0; good && functions[k]; k++)
        good = PyModule_AddFunctions(module, functions[k]) == 0;
    if (good && PyModule_AddStringConstant(module, "version", rm2_version()) == 0)
        return module;
    Py_XDECREF(module);
    return NULL;
}
