/**
 * One class a script on messages: its keys, its arguments, and the reply. The Lua is
 * beside them in the jar.
 */
@NullMarked
package io.redelay.queue.script;

import org.jspecify.annotations.NullMarked;
