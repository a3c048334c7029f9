// libyaml as it is. Nothing else.
#include <yaml.h>
