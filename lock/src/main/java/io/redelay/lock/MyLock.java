package io.redelay.lock;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.util.concurrent.TimeUnit;

import org.springframework.aot.hint.annotation.Reflective;
import org.springframework.core.annotation.AliasFor;

/**
 * Runs a bean's method, or each method of a bean, under a lock that all instances of the
 * application share.
 * <p>
 * A name is text with <code>#{…}</code> in it, for example <code>order:#{id}</code>. The
 * text between the braces is a Spring expression in which a bare name is a parameter of
 * the method, or else one of {@code target}, {@code method} and {@code args}. The value
 * of an argument is data and is never evaluated. <code>${…}</code> is resolved once, when
 * the application starts.
 * <p>
 * A method that returns a {@link java.util.concurrent.CompletionStage} holds the lock
 * until that completes; one that returns a publisher takes the lock when it is subscribed
 * to, and holds it until it ends or is cancelled.
 * <p>
 * It works through the bean's proxy, so a method that calls another of its own object
 * takes no lock for that.
 *
 * @since 0.1.0
 */
@Target({ ElementType.METHOD, ElementType.TYPE, ElementType.ANNOTATION_TYPE })
@Retention(RetentionPolicy.RUNTIME)
@Documented
@Inherited
@Reflective(MyLockReflectiveProcessor.class)
public @interface MyLock {

	/**
	 * The names of the locks to take, all or none.
	 * @return templates of names
	 */
	@AliasFor("name")
	String[] value() default {};

	/**
	 * The names of the locks to take, all or none.
	 * @return templates of names
	 */
	@AliasFor("value")
	String[] name() default {};

	/**
	 * How long to wait while another holds a lock, if the strategy waits.
	 * @return a time in {@link #unit()}; 1 s by default
	 */
	long waitTime() default 1;

	/**
	 * How long the lock is held at most.
	 * @return a time in {@link #unit()}, or -1, the default, to hold it for as long as
	 * the method runs and the application lives
	 */
	long leaseTime() default -1;

	/**
	 * How long the lock is held at least, counted from the acquisition. If the method
	 * ends earlier, it returns at once, and the lock is released when the time is over,
	 * whether the application still runs or not. The first lease is as long, so that the
	 * lock stays if the application dies in the method. Not for
	 * {@link MyLockType#READ_LOCK}.
	 * @return a time in {@link #unit()}; 0, the default, to release the lock when the
	 * method ends
	 */
	long minHold() default 0;

	/**
	 * The unit of the times.
	 * @return the unit; seconds by default
	 */
	TimeUnit unit() default TimeUnit.SECONDS;

	/**
	 * The kind of lock.
	 * @return the kind
	 */
	MyLockType lockType() default MyLockType.RE_ENTRANT_LOCK;

	/**
	 * Another kind of lock than the built-in ones, instead of {@link #lockType()}.
	 * @return the name of a {@link LockProvider} bean
	 */
	String lockProvider() default "";

	/**
	 * What to do while another holds a lock.
	 * @return the strategy
	 */
	MyLockStrategy lockStrategy() default MyLockStrategy.FAIL_AFTER_RETRY_TIMEOUT;

	/**
	 * The bean that decides what the call returns or throws if the lock was not acquired,
	 * instead of the strategy.
	 * @return the name of a {@link LockFailureHandler} bean
	 */
	String failureHandler() default "";

	/**
	 * The method that is called if the lock was not acquired, instead of the strategy.
	 * @return the name of a method of the same bean with the same parameters
	 */
	String fallback() default "";

	/**
	 * Whether to lock at all.
	 * @return a Spring expression, <code>#{…}</code> around it or not; if it is
	 * {@code false}, the method runs without a lock
	 */
	String condition() default "";

	/**
	 * The message of the exception if the lock was not acquired.
	 * @return a template like those of names
	 */
	String message() default "";

	/**
	 * What to do if a lock was lost before the method ended.
	 * @return what to do
	 */
	LeaseLost onLeaseLost() default LeaseLost.LOG;

}
