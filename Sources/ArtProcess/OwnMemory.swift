// SPDX-License-Identifier: Apache-2.0

import CProcess

/// This process's memory, for programs that are ours; a program that links this library decides for itself.
public enum OwnMemory {
  /// From here on no other process of this user may open it, nor the environment, and the process leaves no core file (prctl(2),
  /// PR_SET_DUMPABLE). Programs that it starts are not affected.
  public static func hide() { cprocess_hide_memory() }
}
