package io.redelay.docs.recipes;

/**
 * Stands for what wakes an operator.
 */
interface Pager {

	void page(String text);

}
