package io.redelay.queue;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * How long to wait before a failed message is delivered again: {@code initialInterval}
 * after the first failure, then each time {@code multiplier} times as long,
 * {@code maxInterval} at most, each varied by {@code jitter}.
 * <p>
 * If {@code bean} names a bean, that bean decides instead, and the other attributes are
 * empty.
 * <p>
 * All attributes resolve <code>${…}</code> and <code>#{…}</code>; one that is empty takes
 * its value from {@code redelay.queue.listener.backoff.*}.
 *
 * @since 0.1.0
 */
@Target(ElementType.ANNOTATION_TYPE)
@Retention(RetentionPolicy.RUNTIME)
@Documented
public @interface Backoff {

	/**
	 * The wait after the first failure.
	 * @return a duration; 1 s by default
	 */
	String initialInterval() default "";

	/**
	 * How much longer each further wait is.
	 * @return a number from 1, which makes all waits equal; 2 by default
	 */
	String multiplier() default "";

	/**
	 * The longest wait.
	 * @return a duration; 5 minutes by default
	 */
	String maxInterval() default "";

	/**
	 * The part of a wait by which it is varied at random, so that messages that failed
	 * together are not delivered together again.
	 * @return a number from 0 to 1; 0.2 by default: up to 20 % shorter or longer
	 */
	String jitter() default "";

	/**
	 * A bean that determines how long to wait, instead of the other attributes.
	 * @return the name of a bean of the type
	 * {@link org.springframework.util.backoff.BackOff}; when it says
	 * {@link org.springframework.util.backoff.BackOffExecution#STOP}, the message has no
	 * attempts left, regardless of {@code maxAttempts}
	 */
	String bean() default "";

}
