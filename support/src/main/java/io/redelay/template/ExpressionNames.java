package io.redelay.template;

import java.util.function.Function;

import org.jspecify.annotations.Nullable;

/**
 * The names that the expressions in one place may use, and how to refuse invalid ones.
 *
 * @param <C> the context in which expressions are evaluated
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
	 * Returns the getter of a name's value without evaluating an expression.
	 * @param name the name
	 * @return the getter, or {@code null} if the name has to be evaluated
	 */
	@Nullable Function<C, @Nullable Object> direct(String name);

	/**
	 * Returns the exception for an unknown name.
	 * @param expression the expression
	 * @param name the name, in quotes
	 * @return the exception
	 */
	RuntimeException unknown(String expression, String name);

	/**
	 * Returns the exception for an invalid template or expression.
	 * @param problem what is wrong
	 * @param mend what to do
	 * @return the exception
	 */
	RuntimeException invalid(String problem, String mend);

}
