/**
 * Text with SpEL expressions, from which names of locks and keys of messages are made.
 */
@NullMarked
package io.redelay.template;

import org.jspecify.annotations.NullMarked;
