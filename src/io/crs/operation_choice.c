#include "io/crs/operation_choice.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "io/io.h"

static PJ_OBJ_LIST *list_operations(PJ_CONTEXT *context, const PJ *source, const PJ *target,
                                    const double *area, PROJ_GRID_AVAILABILITY_USE use) {
  PJ_OPERATION_FACTORY_CONTEXT *factory = proj_create_operation_factory_context(context, NULL);
  if (factory == NULL) return NULL;
  proj_operation_factory_context_set_spatial_criterion(context, factory,
                                                       PROJ_SPATIAL_CRITERION_PARTIAL_INTERSECTION);
  proj_operation_factory_context_set_grid_availability_use(context, factory, use);
  if (area != NULL) {
    /* An area without width at 180 degrees lets PROJ (9.1) recurse until the stack is full. */
    const double width = area[0] == area[2] ? 1e-6 : 0.0;
    proj_operation_factory_context_set_area_of_interest(context, factory, fmax(area[0] - width, -180.0),
                                                        area[1], fmin(area[2] + width, 180.0), area[3]);
  }
  PJ_OBJ_LIST *list = proj_create_operations(context, source, target, factory);
  proj_operation_factory_context_destroy(factory);
  return list;
}

gv_operation_choice gv_operation_choose(PJ_CONTEXT *context, const PJ *source, const PJ *target,
                                        const double *area) {
  gv_operation_choice choice = {.accuracy = -1.0};
  PJ_OBJ_LIST *list = list_operations(context, source, target, area,
                                      PROJ_GRID_AVAILABILITY_DISCARD_OPERATION_IF_MISSING_GRID);
  int count = list != NULL ? proj_list_get_count(list) : 0;
  for (int i = 0; i < count && choice.definition == NULL; i++) {
    PJ *operation = proj_list_get(context, list, i);
    const char *text = operation != NULL ? proj_as_proj_string(context, operation, PJ_PROJ_5, NULL) : NULL;
    if (text != NULL) {
      double *a = choice.area;
      choice.definition = strdup(text[0] != '\0' ? text : "+proj=noop");
      choice.accuracy = proj_coordoperation_get_accuracy(context, operation);
      choice.has_area =
          proj_get_area_of_use(context, operation, &a[0], &a[1], &a[2], &a[3], NULL) && a[0] >= -360.0;
    }
    proj_destroy(operation);
  }
  proj_list_destroy(list);
  return choice;
}

/* The first grid of an operation that is not installed; "" if all are. */
static void missing_grid(PJ_CONTEXT *context, const PJ *operation, char *name, size_t size) {
  int count = proj_coordoperation_get_grid_used_count(context, operation);
  name[0] = '\0';
  for (int i = 0; i < count && name[0] == '\0'; i++) {
    const char *grid = NULL;
    int available = 1;
    if (proj_coordoperation_get_grid_used(context, operation, i, &grid, NULL, NULL, NULL, NULL, NULL,
                                          &available) &&
        !available && grid != NULL) {
      snprintf(name, size, "%s", grid);
    }
  }
}

static void describe_accuracy(double accuracy, char *text, size_t size) {
  if (accuracy < 0.0) {
    snprintf(text, size, "of unknown accuracy");
  } else {
    snprintf(text, size, "accurate to %g m", accuracy);
  }
}

void gv_operation_warn_of_grids(PJ_CONTEXT *context, const PJ *source, const PJ *target, const double *area,
                                const gv_operation_choice *choice, const char *from, const char *to) {
  if (choice->accuracy == 0.0) return;
  PJ_OBJ_LIST *list = list_operations(context, source, target, area, PROJ_GRID_AVAILABILITY_IGNORED);
  PJ *best = list != NULL && proj_list_get_count(list) > 0 ? proj_list_get(context, list, 0) : NULL;
  if (best != NULL) {
    char grid[160], now[64], then[64];
    double accuracy = proj_coordoperation_get_accuracy(context, best);
    bool better = accuracy >= 0.0 && (choice->accuracy < 0.0 || accuracy < choice->accuracy);
    missing_grid(context, best, grid, sizeof grid);
    describe_accuracy(choice->accuracy, now, sizeof now);
    describe_accuracy(accuracy, then, sizeof then);
    if (better && grid[0] != '\0') {
      gv_io_warn(GV_CODE_ACCURACY, 0,
                 "positions in %.120s are %s in %.120s; with PROJ's grid %s, which is not installed, they "
                 "would be %s",
                 from, now, to, grid, then);
    }
  }
  proj_destroy(best);
  proj_list_destroy(list);
}
