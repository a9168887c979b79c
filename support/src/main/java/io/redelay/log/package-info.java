/**
 * Logs in which nothing that comes from outside can look like another line.
 */
@NullMarked
package io.redelay.log;

import org.jspecify.annotations.NullMarked;
