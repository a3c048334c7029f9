// libyaml, unchanged.
#include <yaml.h>
