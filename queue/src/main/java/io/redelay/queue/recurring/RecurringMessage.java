package io.redelay.queue.recurring;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Repeatable;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

import org.springframework.aot.hint.annotation.Reflective;

/**
 * Declares a recurring message: one message is sent to the queue at each tick, no matter
 * how many instances declare it. On a method with
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
	 * What happens to missed ticks.
	 * @return what is done, {@link MissedTicks#ONCE} by default
	 */
	MissedTicks missed() default MissedTicks.ONCE;

	/**
	 * How many missed ticks run at most with {@link MissedTicks#ALL}, 1 to 1000.
	 * @return the number, 10 by default
	 */
	String maxMissed() default "";

	/**
	 * What happens to a tick while an earlier run has not ended.
	 * @return what is done, {@link OverlappingRuns#SKIP} by default
	 */
	OverlappingRuns overlap() default OverlappingRuns.SKIP;

	/**
	 * How many ticks wait at most with {@link OverlappingRuns#QUEUE}, 1 to 1000.
	 * @return the number, 100 by default
	 */
	String maxQueued() default "";

	/**
	 * How long after its due time a tick is late.
	 * @return the time, {@code 1m} by default
	 */
	String lateAfter() default "";

	/**
	 * Tags to find the messages by: at most 10, each of 1 to 100 characters, without
	 * control characters.
	 * @return the tags, none by default
	 */
	String[] tags() default {};

	/**
	 * The time before which it does not run, such as {@code 2027-01-31T18:00:00+01:00},
	 * or without an offset by the clock of its {@link #zone()}. The first tick of an
	 * interval is at this time.
	 * @return the time, none by default
	 */
	String from() default "";

	/**
	 * The time after which it does not tick any more, as {@link #from()}. A tick at this
	 * time runs.
	 * @return the time, none by default
	 */
	String until() default "";

	/**
	 * How many runs there are in all, over all instances and restarts, at least 1. It has
	 * ended when the last one begins. Runs by {@link RecurringMessages#runNow} do not
	 * count.
	 * @return the number, any number by default
	 */
	String maxRuns() default "";

	/**
	 * Whether it runs at once, in addition to its ticks, when it is first declared or its
	 * declaration changes; not when an instance starts that declares it unchanged.
	 * @return {@code true} or {@code false}, the default
	 */
	String runAtDeclaration() default "";

	/**
	 * The largest delay of a tick after its planned time. It must be shorter than the
	 * time between two ticks. Each tick has a different delay, which is the same in all
	 * instances.
	 * @return the time, none by default
	 */
	String jitter() default "";

	/**
	 * The priority of the messages, 0 to 9, and 9 is the highest.
	 * @return the priority, none by default
	 */
	String priority() default "";

	/**
	 * How often each message is delivered at most, instead of the listener's number.
	 * @return the number, at least 1, none by default
	 */
	String maxAttempts() default "";

	/**
	 * The time after its tick within which the handling of each message must begin.
	 * Otherwise it is kept among the dead messages as expired.
	 * @return the time, none by default
	 */
	String timeToLive() default "";

	/**
	 * The time after its tick within which each message must be handled, over all of its
	 * attempts. Otherwise it is kept among the dead messages.
	 * @return the time, none by default
	 */
	String deadline() default "";

	/**
	 * The headers of the messages, each as {@code name=value}.
	 * @return the headers, none by default
	 */
	String[] headers() default {};

	/**
	 * The ordering key of the messages: they wait for each other, and for other messages
	 * of the queue with the same key.
	 * @return the key, none by default
	 */
	String orderingKey() default "";

	/**
	 * The fairness key of the messages, such as a tenant.
	 * @return the key, none by default
	 */
	String fairnessKey() default "";

	/**
	 * How long the handling of each message may take, instead of the listener's limit.
	 * @return the time, none by default
	 */
	String maxHandlingTime() default "";

	/**
	 * The queue that a message is forwarded to when it dies.
	 * @return the queue, none by default
	 */
	String deadLetterQueue() default "";

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
