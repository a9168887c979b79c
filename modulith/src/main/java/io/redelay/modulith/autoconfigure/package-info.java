/**
 * Beans and properties of the module for Spring Modulith.
 */
@NullMarked
package io.redelay.modulith.autoconfigure;

import org.jspecify.annotations.NullMarked;
