/**
 * Makes the pages of the guide.
 */
@NullMarked
package io.redelay.guide;

import org.jspecify.annotations.NullMarked;
