package io.redelay.queue;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Repeatable;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

import org.springframework.core.annotation.AliasFor;
import org.springframework.messaging.handler.annotation.MessageMapping;

/**
 * Marks a bean method as the handler of the messages of one or more queues; or a class of
 * which several methods handle them, each with
 * {@link io.redelay.queue.listener.QueueHandler} and for payload types of its own.
 * <p>
 * A message is delivered at least once and never before its time. It is done when the
 * method returns, or when the {@link java.util.concurrent.CompletionStage} or
 * {@code Mono} it returns completes. It is delivered again after a backoff when the
 * method throws, up to a number of attempts, and is then kept among the dead messages.
 * <p>
 * The method may take the payload (converted to the parameter's type, generics included),
 * an {@link java.util.Optional} or a {@link org.springframework.messaging.Message} of it,
 * or a {@link java.util.List} of any of these for a batch. It may take
 * {@link org.springframework.messaging.handler.annotation.Header @Header} and
 * {@link org.springframework.messaging.handler.annotation.Headers @Headers} parameters
 * with the names of {@link QueueHeaders} or the sender's own. It may also take an
 * {@link Acknowledgment} (of a batch, a
 * {@link io.redelay.queue.batch.BatchAcknowledgment}), a
 * {@link io.redelay.queue.work.CancellationToken}, a
 * {@link io.redelay.queue.work.DeliveryInfo}, a
 * {@link io.redelay.queue.work.MessageDelivery}, a
 * {@link io.redelay.queue.work.Checkpoint}, a
 * {@link io.redelay.queue.work.RecurringState}, a {@link io.redelay.queue.work.NextStep},
 * and the {@link FailedAttempt} of which a dead letter died. It is invoked through the
 * bean's proxy, on as many threads at a time as {@link #concurrency()} says.
 * <p>
 * All attributes that are strings resolve <code>${…}</code> and <code>#{…}</code> at
 * startup; one that is empty takes its value from {@code redelay.queue.listener.*}. For
 * one queue, {@code redelay.queue.queues.<name>.*} overrides the annotation. Durations
 * are written like {@code 500ms}, {@code 30s} or {@code PT30S}.
 * <p>
 * May be repeated: each annotation is a listener of its own, with its own threads, limits
 * and id.
 *
 * @since 0.1.0
 */
@Target({ ElementType.METHOD, ElementType.TYPE, ElementType.ANNOTATION_TYPE })
@Retention(RetentionPolicy.RUNTIME)
@Documented
@MessageMapping
@Repeatable(QueueListener.List.class)
public @interface QueueListener {

	/**
	 * The queues to listen to.
	 * @return their names, of letters, digits, {@code .}, {@code _} and {@code -}; one
	 * string may hold several names with commas between them
	 */
	@AliasFor("queues")
	String[] value() default {};

	/**
	 * The queues to listen to.
	 * @return their names, of letters, digits, {@code .}, {@code _} and {@code -}; one
	 * string may hold several names with commas between them
	 */
	@AliasFor("value")
	String[] queues() default {};

	/**
	 * In which order the {@link #queues()} get handlers: {@code turns}, the default, if
	 * they take turns; {@code strict} if a queue gets handlers only while the queues
	 * named before it have no ready messages. In a strict order, a queue that always has
	 * some lets those behind it wait forever.
	 * @return the order
	 */
	String queueOrder() default "";

	/**
	 * How many turns each of the {@link #queues()} has in a round, in the same order: of
	 * {@code {"3", "1"}}, the first queue gets three handlers while the second one gets
	 * one, as long as both have messages. {@code redelay.queue.queues.<name>.weight}
	 * overrides it.
	 * @return numbers from 1 to 100, one for each queue; one string may hold several with
	 * commas between them; 1 each by default
	 */
	String[] queueWeights() default {};

	/**
	 * The topic to listen to, instead of {@link #queues()}: the method gets a copy of
	 * each message that is published to it from the start of the listener on, once for
	 * its {@link #group()}.
	 * @return the name of a topic, of letters, digits, {@code .}, {@code _} and
	 * {@code -}; none by default
	 */
	String topic() default "";

	/**
	 * The group of the {@link #topic()} that the listener belongs to. Each group gets
	 * each message, and within a group one listener does, over all instances. A group is
	 * registered when its first listener starts. It collects from then on, also while no
	 * listener runs, until it is removed.
	 * @return the name of a group, of letters, digits, {@code .}, {@code _} and
	 * {@code -}; by default each instance has a group of its own, which ends when the
	 * listener stops, or some time after the instance was lost
	 */
	String group() default "";

	/**
	 * Which messages the {@link #group()} gets copies of, by their headers; the others
	 * are not copied. The filter is kept with the group in Redis: it holds for all
	 * instances and while no listener runs, until a listener that starts later declares
	 * another one. All listeners of a group have the same filter.
	 * {@code redelay.queue.topics.<name>.groups.<group>.filter} overrides it.
	 * @return the conditions, all of which must hold; none by default, so that each
	 * message is copied
	 */
	HeaderFilter[] groupFilter() default {};

	/**
	 * The bean that decides which messages are handled. The others are acknowledged
	 * without being handled, and counted.
	 * @return the name of a bean of the type
	 * {@link io.redelay.queue.listener.DeliveryFilter}; none by default
	 */
	String filter() default "";

	/**
	 * The name of the listener's container.
	 * @return the name, unique in the application; by default the bean's name and the
	 * method's, or that of the bean where the class is annotated
	 */
	String id() default "";

	/**
	 * How many handlers run at the same time.
	 * @return a number like {@code 8}, or a range like {@code 1-16} in which the
	 * container moves with the load; 8 by default
	 */
	String concurrency() default "";

	/**
	 * How many messages are held in addition to those being handled.
	 * @return a number; by default it adapts: as many as are handled in 100 ms, and none
	 * for slow handlers
	 */
	String prefetch() default "";

	/**
	 * How a message is acknowledged.
	 * @return the mode
	 */
	AckMode ackMode() default AckMode.AUTO;

	/**
	 * How long the messages that this instance holds stay reserved for it after a crash.
	 * While the instance lives, it renews the lease by itself, no matter how long a
	 * handler takes.
	 * @return a duration; 30 s by default
	 */
	String leaseTime() default "";

	/**
	 * How long handling one message may take. After that its thread is interrupted and
	 * the message counts as failed.
	 * @return a duration; no limit by default
	 */
	String maxHandlingTime() default "";

	/**
	 * How often a message is delivered at most, the first time included, before it is
	 * kept among the dead messages. Failures and crashes are counted separately.
	 * @return a number; 5 by default
	 */
	String maxAttempts() default "";

	/**
	 * How long to wait before a message is delivered again after a failure.
	 * @return the backoff
	 */
	Backoff backoff() default @Backoff;

	/**
	 * Failures after which a message goes to the dead messages at once.
	 * @return types of exceptions, their subtypes and those that they cause included; not
	 * those with which a handler asks for another delivery
	 */
	Class<? extends Throwable>[] noRetryFor() default {};

	/**
	 * What happens to a message that cannot be converted: that cannot be read, converted
	 * or validated, or lacks a header.
	 * @return {@code bury}, the default, if it is dead at once; {@code retry} if it has
	 * failed and is delivered again after the backoff while it has attempts left, perhaps
	 * to an instance of another version, which can convert it
	 */
	String onConversionFailure() default "";

	/**
	 * Whether progress resets the attempts of a message: when the method has saved
	 * another checkpoint, failures and crashes of the message are forgotten. The message
	 * is dead when it fails {@link #maxAttempts()} times in a row without progress.
	 * @return {@code true} or {@code false}, the default
	 */
	String resetAttemptsOnProgress() default "";

	/**
	 * A key for which the method succeeds once within {@link #idempotencyWindow()}, over
	 * all instances, no matter how often a message is sent or delivered. While a message
	 * with the key is handled, others with it wait; when that has succeeded, they are
	 * acknowledged without their handling. If it fails, or its instance dies, the next
	 * one is handled.
	 * @return a template like {@code #{payload.orderId}} or
	 * <code>#{payload.shop}/#{headers['order']}</code>, whose expressions are evaluated
	 * for each message, with {@code payload}, {@code headers}, {@code queue} and
	 * {@code id}; only <code>${…}</code> is resolved at startup. None by default
	 */
	String idempotencyKey() default "";

	/**
	 * For how long after its success the {@link #idempotencyKey()} is done.
	 * @return a duration; 24 h by default
	 */
	String idempotencyWindow() default "";

	/**
	 * The listeners among which only one handles the messages of an
	 * {@link #idempotencyKey()}: {@code queue}, or {@code topic} for all listeners of the
	 * {@link #topic()}, in all its groups. With {@code topic} one instance handles what
	 * all instances get.
	 * @return the scope; {@code queue} by default, which is the group of a topic
	 */
	String idempotencyScope() default "";

	/**
	 * How the running method is notified that its message was cancelled. The
	 * {@link io.redelay.queue.work.CancellationToken} turns in any case.
	 * @return {@code signal}, the default, if nothing else happens; {@code interrupt} if
	 * the thread is interrupted, and the future or the {@code Mono} that was returned is
	 * cancelled
	 */
	String cancellation() default "";

	/**
	 * The bean that decides what to do when the method has failed.
	 * @return the name of a bean of the type
	 * {@link io.redelay.queue.listener.QueueErrorHandler}; {@code queueErrorHandler} by
	 * default, if there is one
	 */
	String errorHandler() default "";

	/**
	 * The interceptors of the handling of each message, in addition to those of all
	 * listeners ({@link io.redelay.queue.listener.GlobalInterceptor}).
	 * @return the names of beans of the type
	 * {@link io.redelay.queue.listener.DeliveryInterceptor}, the outermost first; one
	 * string may hold several names with commas between them
	 */
	String[] interceptors() default {};

	/**
	 * The queue that dead messages are forwarded to, instead of being kept where they
	 * died. They have the headers of {@link QueueHeaders} with their origin and the
	 * reason of their death.
	 * @return the name of a queue; none by default
	 */
	String deadLetterQueue() default "";

	/**
	 * The queue whose dead messages to listen to, also those that have died already. They
	 * are forwarded to a queue of this name with {@code .dead} appended, which this
	 * listener listens to; so {@link #queues()} must be empty. A message that it handles
	 * is removed.
	 * @return the name of a queue
	 */
	String deadLettersOf() default "";

	/**
	 * The largest number of messages that a method with a {@link java.util.List}
	 * parameter is given. A message that has failed before is given alone.
	 * @return a number; 10 by default
	 */
	String batchSize() default "";

	/**
	 * How long to wait for a batch to become full, counted from its first message.
	 * @return a duration; 0 by default: what is there is delivered
	 */
	String batchTimeout() default "";

	/**
	 * How many messages of a queue all instances claim together in any window of a
	 * length, by the clock of Redis. Deliveries after a failure count as well. A
	 * container with a limit claims no messages ahead of its handlers.
	 * @return a rate like {@code 100/1s}, which is spread evenly over the window, or
	 * {@code 100/1s bursting}, of which all may come at once; no limit by default
	 */
	String rateLimit() default "";

	/**
	 * How many messages of a queue all instances together hold at the same time.
	 * @return a number; no limit by default
	 */
	String maxInFlight() default "";

	/**
	 * How many messages of one fairness key all instances claim together in any window of
	 * a length. Messages without a fairness key are not limited.
	 * @return a rate as for {@link #rateLimit()}; no limit by default
	 */
	String keyRateLimit() default "";

	/**
	 * How many messages of one fairness key all instances together hold at the same time.
	 * Messages without a fairness key are not limited.
	 * @return a number; no limit by default
	 */
	String keyMaxInFlight() default "";

	/**
	 * A limit that this queue shares with others of the same server, in addition to its
	 * own. Not possible on Redis Cluster.
	 * @return the name of a limit under {@code redelay.queue.limits}; none by default
	 */
	String sharedLimit() default "";

	/**
	 * Whether the container starts with the application.
	 * @return {@code true} by default
	 */
	String autoStartup() default "";

	/**
	 * The container factory to use.
	 * @return the name of a bean; {@code queueListenerContainerFactory} by default
	 */
	String containerFactory() default "";

	/**
	 * Several listeners that call the same method, or the methods of the same class.
	 *
	 * @since 0.1.0
	 */
	@Target({ ElementType.METHOD, ElementType.TYPE, ElementType.ANNOTATION_TYPE })
	@Retention(RetentionPolicy.RUNTIME)
	@Documented
	@interface List {

		/**
		 * The listeners.
		 * @return the annotation of each
		 */
		QueueListener[] value();

	}

}
