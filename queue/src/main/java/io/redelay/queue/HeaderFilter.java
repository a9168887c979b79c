package io.redelay.queue;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * A condition on one header of a message, for {@link QueueListener#groupFilter()}. All
 * given attributes must hold, and at least one of {@link #equalTo()}, {@link #oneOf()},
 * {@link #prefix()} and {@link #exists()} must be given. Values are compared as
 * case-sensitive text; the text of a number or a boolean is its JSON, such as {@code 5}
 * or {@code true}.
 * <p>
 * All attributes resolve <code>${…}</code> and <code>#{…}</code>.
 *
 * @since 0.1.0
 */
@Target(ElementType.ANNOTATION_TYPE)
@Retention(RetentionPolicy.RUNTIME)
@Documented
public @interface HeaderFilter {

	/**
	 * The header.
	 * @return the name that its sender gave it
	 */
	String name();

	/**
	 * The value that the header must have.
	 * @return the value; any by default
	 */
	String equalTo() default "";

	/**
	 * The values of which the header must have one.
	 * @return the values; a single string may hold several with commas between them; any
	 * by default
	 */
	String[] oneOf() default {};

	/**
	 * What the value must begin with.
	 * @return the beginning; any by default
	 */
	String prefix() default "";

	/**
	 * Whether the message must have the header.
	 * @return {@code true}; or {@code false} if it must not have it; with any other
	 * condition it must have it anyway
	 */
	String exists() default "";

}
