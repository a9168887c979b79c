package io.redelay.queue.recurring;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Repeatable;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

import org.springframework.aot.hint.annotation.Reflective;

/**
 * Declares a recurring message: the queue is sent one message a tick, however many
 * instances declare it. On a method with
 * {@link io.redelay.queue.QueueListener @QueueListener}, which then handles the ticks; or
 * on a method without parameters, whose result is the payload of each tick. Such a method
 * is called once, when the application starts.
 * <p>
 * The declaration holds as long as an instance lives that declares it. All attributes
 * resolve <code>${…}</code> and <code>#{…}</code> when the application starts.
 * <p>
 * May be repeated, with a {@link #name()} for each.
 *
 * @since 0.1.0
 */
@Documented
@Reflective
@Retention(RetentionPolicy.RUNTIME)
@Target({ ElementType.METHOD, ElementType.ANNOTATION_TYPE })
@Repeatable(RecurringMessage.List.class)
public @interface RecurringMessage {

	/**
	 * The name, unique among those of its queue and of the application: letters, digits,
	 * '.', '_' and '-'. By default the names of the bean and the method with a '.'
	 * between.
	 * @return the name
	 */
	String name() default "";

	/**
	 * The queue. By default that of the {@code @QueueListener} on the method.
	 * @return the queue
	 */
	String queue() default "";

	/**
	 * When it ticks: a cron expression of six fields as Spring has them, or a macro such
	 * as {@code @daily}; {@code -} declares nothing.
	 * @return the expression
	 */
	String cron() default "";

	/**
	 * The zone of the cron expression, such as {@code Europe/Berlin}. By default that of
	 * the JVM, which should be the same in all instances.
	 * @return the zone
	 */
	String zone() default "";

	/**
	 * How much time there is between ticks, such as {@code 15m}, instead of a cron
	 * expression: 100 ms at least.
	 * @return the interval
	 */
	String every() default "";

	/**
	 * What becomes of ticks that were missed.
	 * @return what is done, {@link MissedTicks#ONCE} by default
	 */
	MissedTicks missed() default MissedTicks.ONCE;

	/**
	 * How many missed ticks run at most with {@link MissedTicks#ALL}, 1 to 1000.
	 * @return the number, 10 by default
	 */
	String maxMissed() default "";

	/**
	 * What becomes of a tick while an earlier run has not ended.
	 * @return what is done, {@link OverlappingRuns#SKIP} by default
	 */
	OverlappingRuns overlap() default OverlappingRuns.SKIP;

	/**
	 * How many ticks wait at most with {@link OverlappingRuns#QUEUE}, 1 to 1000.
	 * @return the number, 100 by default
	 */
	String maxQueued() default "";

	/**
	 * How long after it was due a tick is late.
	 * @return the time, {@code 1m} by default
	 */
	String lateAfter() default "";

	/**
	 * By which tags the messages are found: at most 10, each of 1 to 100 characters, none
	 * of them a control character.
	 * @return the tags, none by default
	 */
	String[] tags() default {};

	/**
	 * Several recurring messages that one method declares.
	 *
	 * @since 0.1.0
	 */
	@Documented
	@Retention(RetentionPolicy.RUNTIME)
	@Target({ ElementType.METHOD, ElementType.ANNOTATION_TYPE })
	@interface List {

		/**
		 * The recurring messages.
		 * @return the annotation of each
		 */
		RecurringMessage[] value();

	}

}
