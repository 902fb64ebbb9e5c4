/* Settings by name, from the library's own tables. */
#include "front/texts.h"
#include "glue.h"

#include <string.h>

static bool set_one(rm2_context *ctx, const rm2_settings_table *table, void *settings,
                    PyObject *name, PyObject *text) {
    const char *key = PyUnicode_AsUTF8AndSize(name, NULL);
    const char *value = key ? PyUnicode_AsUTF8AndSize(text, NULL) : NULL;
    if (!value)
        return false;
    rm2_status status = rm2_settings_set(ctx, table, settings, key, value);
    if (status != RM2_OK)
        PyErr_SetString(PyExc_ValueError, rm2_context_error(ctx));
    return status == RM2_OK;
}

bool glue_settings(PyObject *dict, const rm2_settings_table *table, void *settings) {
    PyObject *name, *text;
    Py_ssize_t at = 0;
    if (!PyDict_Check(dict)) {
        PyErr_SetString(PyExc_TypeError, "settings: expected a dict");
        return false;
    }
    rm2_context *ctx = glue_enter();
    if (!ctx)
        return false;
    PyObject *recipe = PyDict_GetItemString(dict, "recipe"); /* borrowed; fills all others */
    PyObject *key = PyUnicode_FromString("recipe");
    bool good = key && (!recipe || set_one(ctx, table, settings, key, recipe));
    while (good && PyDict_Next(dict, &at, &name, &text))
        if (text != recipe)
            good = set_one(ctx, table, settings, name, text);
    Py_XDECREF(key);
    PyObject *none = glue_leave(ctx, RM2_OK);
    Py_XDECREF(none);
    return good && none;
}

bool glue_fit_settings(PyObject *dict, rm2_setting_text **texts, rm2_fit_settings *s) {
    PyObject *name, *text;
    Py_ssize_t at = 0;
    *texts = NULL;
    *s = rm2_fit_settings_recipe(RM2_RECIPE_AUTO);
    if (!PyDict_Check(dict)) {
        PyErr_SetString(PyExc_TypeError, "settings: expected a dict");
        return false;
    }
    *texts = PyMem_Calloc((size_t)PyDict_Size(dict) + 1, sizeof **texts);
    if (!*texts)
        return PyErr_NoMemory() != NULL;
    s->texts = *texts;
    while (PyDict_Next(dict, &at, &name, &text)) {
        rm2_setting_text *next = &(*texts)[s->text_count++];
        next->name = PyUnicode_AsUTF8AndSize(name, NULL);
        next->text = next->name ? PyUnicode_AsUTF8AndSize(text, NULL) : NULL;
        if (!next->text)
            return false;
    }
    return true;
}

PyObject *glue_settings_dict(const rm2_settings_table *table, const void *settings) {
    rm2_context *ctx = glue_enter();
    PyObject *dict = ctx ? PyDict_New() : NULL;
    for (size_t k = 0; dict && k < table->count; k++) {
        const char *name = rm2_settings_at(table, k)->name;
        char text[512];
        if (rm2_settings_get(ctx, table, settings, name, text, sizeof text) != RM2_OK)
            continue;
        PyObject *value = PyUnicode_FromString(text);
        if (!value || PyDict_SetItemString(dict, name, value) != 0)
            Py_CLEAR(dict);
        Py_XDECREF(value);
    }
    if (ctx)
        Py_XDECREF(glue_leave(ctx, RM2_OK));
    return dict;
}

/* ---- rows ----------------------------------------------------------------------------------- */

static PyObject *words_of(const rm2_setting *s) {
    PyObject *list = PyList_New(0);
    for (size_t k = 0; list && s->words && s->words[k]; k++)
        glue_append(&list, PyUnicode_FromString(s->words[k]));
    return list;
}

static PyObject *defaults_of(const rm2_settings_table *table, const rm2_setting *s) {
    PyObject *list = PyList_New(0);
    for (size_t k = 0; list && k < table->columns; k++)
        glue_append(&list, PyUnicode_FromString(rm2_setting_default(s, k)));
    return list;
}

/* settings(table): rows (name, type, words, zero word, defaults, expected, group, help). */
static PyObject *rows(PyObject *self, PyObject *args) {
    const char *wanted;
    const rm2_settings_table *table;
    (void)self;
    if (!PyArg_ParseTuple(args, "s", &wanted))
        return NULL;
    int kind = 0;
    while ((table = rm2_settings_table_of((rm2_settings_kind)kind)) &&
           strcmp(table->name, wanted) != 0)
        kind++;
    if (!table)
        return PyErr_Format(PyExc_ValueError, "unknown table of settings '%s'", wanted);
    PyObject *list = PyList_New(0);
    for (size_t k = 0; list && k < table->count; k++) {
        const rm2_setting *s = rm2_settings_at(table, k);
        char expected[512];
        rm2_setting_expected(s, expected, sizeof expected);
        glue_append(&list, Py_BuildValue("siNzNsss", s->name, (int)s->type, words_of(s), s->zero,
                                         defaults_of(table, s), expected, s->group, s->help));
    }
    return list;
}

PyMethodDef settings_functions[] = {
    {"settings", rows, METH_VARARGS, NULL},
    {NULL, NULL, 0, NULL},
};
