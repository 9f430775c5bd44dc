/* SPDX-License-Identifier: Apache-2.0
 * Who asks what a node can take. */
#include "plan/bynode/asker.h"

#include "plan/bynode/bynode_private.h"

struct asker asker_of(struct bynode *b, const struct job *j, const struct taskdef *def)
{
    return (struct asker){b, j, def, b->without};
}
