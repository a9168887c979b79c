/**
 * Annotations on the classes of beans.
 */
@NullMarked
package io.redelay.annotation;

import org.jspecify.annotations.NullMarked;
