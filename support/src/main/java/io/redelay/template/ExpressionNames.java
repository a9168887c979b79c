package io.redelay.template;

import java.util.function.Function;

import org.jspecify.annotations.Nullable;

/**
 * The names that the expressions in one place may use, and how to refuse those that
 * cannot work there.
 *
 * @param <C> what expressions are evaluated in
 * @since 0.1.0
 */
public interface ExpressionNames<C extends CallContext> {

	/**
	 * Whether a name is one that a caller gives a value to, as a parameter. In a
	 * selection or a projection it comes before a property of the element.
	 * @param name the name
	 * @return whether it is
	 */
	boolean isGiven(String name);

	/**
	 * Whether a name is always there, unless a caller gives a value to it.
	 * @param name the name
	 * @return whether it is
	 */
	boolean isRoot(String name);

	/**
	 * Returns how to get what a name stands for without evaluating an expression.
	 * @param name the name
	 * @return how, or {@code null} if it has to be evaluated
	 */
	@Nullable Function<C, @Nullable Object> direct(String name);

	/**
	 * Returns the exception for a name that is neither given nor always there.
	 * @param expression the expression
	 * @param name the name, in quotes
	 * @return the exception
	 */
	RuntimeException unknown(String expression, String name);

	/**
	 * Returns the exception for a template or an expression that cannot work.
	 * @param problem what is wrong
	 * @param mend what to do
	 * @return the exception
	 */
	RuntimeException invalid(String problem, String mend);

}
