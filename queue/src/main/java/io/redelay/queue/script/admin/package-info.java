/**
 * One class a script, or a key, of the administration.
 */
@NullMarked
package io.redelay.queue.script.admin;

import org.jspecify.annotations.NullMarked;
