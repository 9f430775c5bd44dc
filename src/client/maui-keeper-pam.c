/* SPDX-License-Identifier: Apache-2.0
 * The keeper that opens PAM sessions for jobs: without PAM= the smaller one runs. */
#include "rm/local/keeper.h"
#include "rm/local/session.h"

int main(int argc, char **argv)
{
    return keeper_main(argc, argv, &session_pam);
}
