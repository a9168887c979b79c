/**
 * Makes the pages to look something up from the sources of the other modules.
 */
@NullMarked
package io.redelay.guide.lookup;

import org.jspecify.annotations.NullMarked;
