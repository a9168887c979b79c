package io.redelay.queue.config;

import java.io.File;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.stream.Stream;

import javax.tools.ToolProvider;

import io.redelay.autoconfigure.QueueListenerProperties;
import io.redelay.autoconfigure.SingleQueueProperties;
import io.redelay.lock.MyLock;
import io.redelay.queue.AckMode;
import io.redelay.queue.Acknowledgment;
import io.redelay.queue.Backoff;
import io.redelay.queue.FailedAttempt;
import io.redelay.queue.QueueHeaders;
import io.redelay.queue.QueueListener;
import io.redelay.queue.batch.BatchAcknowledgment;
import io.redelay.queue.batch.BatchResult;
import io.redelay.queue.listener.Paused;
import io.redelay.queue.listener.QueueHandler;
import io.redelay.queue.work.Checkpoint;
import io.redelay.queue.work.DeliveryInfo;
import io.redelay.queue.work.MessageDelivery;
import io.redelay.queue.work.RecurringState;
import io.redelay.test.IdleStore;
import jakarta.validation.Valid;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.context.properties.bind.Name;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Scope;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.messaging.Message;
import org.springframework.messaging.handler.annotation.Header;
import org.springframework.messaging.handler.annotation.Headers;
import org.springframework.messaging.handler.annotation.Payload;
import org.springframework.scheduling.annotation.Async;
import org.springframework.scheduling.annotation.EnableAsync;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.junit.jupiter.params.provider.Arguments.arguments;

/**
 * Tests that a listener which cannot work keeps the application from starting, and that
 * the message names the bean, the method and the attribute, and says what to do.
 */
@ExtendWith(OutputCaptureExtension.class)
class InvalidListenerTests {

	static List<Arguments> listeners() {
		return List.of(arguments(UnknownPlaceholder.class, "'queues'", "${no.such.property}", "Set the property"),
				arguments(UnknownPlaceholderInConcurrency.class, "'concurrency'", "${no.such}", "Set the property"),
				arguments(BrokenExpression.class, "'maxAttempts'", "#{nonsense.x}", "Correct the expression"),
				arguments(HalfExpression.class, "'id'", "No ending suffix '}'", "Correct the expression"),
				arguments(UnknownBean.class, "'id'", "No bean named 'nothere' available", "Correct the expression"),
				arguments(WordyConversionFailure.class, "'onConversionFailure'", "'maybe' is not bury or retry",
						"Write bury or retry"),
				arguments(GroupWithoutTopic.class, "'group'", "no topic is named for the group 'billing'",
						"@QueueListener(topic = \"orders\", group = \"billing\")"),
				arguments(GroupOfAQueue.class, "'group'", "no topic is named", "leave the group out"),
				arguments(TopicAndQueues.class, "'topic'", "'queues' is given as well", "Leave one of them out"),
				arguments(TopicAndDeadLetters.class, "'topic'", "'deadLettersOf' is given as well", "@<group>"),
				arguments(BadTopic.class, "'topic'", "'orders@billing' is not the name of a topic", "Begin with"),
				arguments(BadGroup.class, "'group'", "'a b' is not the name of a group", "Begin with"),
				arguments(GroupLikeAnInstances.class, "'group'", "'_mine' is not the name of a group", "Begin with"),
				arguments(UnknownTopic.class, "'topic'", "${no.such}", "Set the property"),
				arguments(EmptyTopic.class, "'topic'", "'#{''}' is empty", "Set what it refers to"),
				arguments(QueueLikeAGroup.class, "'queues'", "'orders@billing' is not the name of a queue",
						"Begin with"),
				arguments(BrokenKey.class, "'idempotencyKey'", "'#{payload.', cannot work: it cannot be read",
						"Write a template like #{payload.customerId}"),
				arguments(UnknownNameInKey.class, "'idempotencyKey'",
						"'orderId' is none of [payload, headers, queue, id]", "written as #{payload.name}"),
				arguments(ConstantKey.class, "'idempotencyKey'", "'order' has no expression", "#{payload.orderId}"),
				arguments(NoPropertyInKey.class, "'idempotencyKey'", "${no.such}", "Set the property"),
				arguments(NoWindow.class, "'idempotencyWindow'", "1 ms to 3650 days: PT0S", "Correct"),
				arguments(WindowWithoutKey.class, "'idempotencyWindow'", "there is no idempotencyKey",
						"or leave the window out"),
				arguments(WordyWindow.class, "'idempotencyWindow'", "'long' is not a duration", "30s"),
				arguments(AcknowledgmentAfterwards.class, "'ackMode'", "takes an Acknowledgment",
						"set ackMode to MANUAL"),
				arguments(BatchAcknowledgmentAfterwards.class, "'ackMode'", "takes an Acknowledgment",
						"set ackMode to MANUAL"),
				arguments(BatchAcknowledgmentOfOne.class, "takes a BatchAcknowledgment", "one message at a time",
						"Take an Acknowledgment"),
				arguments(BatchResultOfOne.class, "returns a BatchResult", "one message at a time", "take a List"),
				arguments(BatchResultOfOneLater.class, "returns a BatchResult", "one message at a time", "take a List"),
				arguments(LockAfterwards.class, "'ackMode'", "could not be given back", "Leave @MyLock out"),
				arguments(PausedAfterwards.class, "'ackMode'", "could not be given back", "Return something else"),
				arguments(KeyAfterwards.class, "'ackMode'", "has an idempotencyKey", "Leave the idempotencyKey out"),
				arguments(ResetAfterwards.class, "'resetAttemptsOnProgress'", "delivered once",
						"Leave resetAttemptsOnProgress out"),
				arguments(ResetAtTimes.class, "'resetAttemptsOnProgress'", "true or false", "sometimes"),
				arguments(LimitAfterwards.class, "'ackMode'", "in hand at the same time", "Leave maxInFlight out"),
				arguments(UntypedHandler.class, "'value' of the @QueueHandler", "has no @PayloadType that names one",
						"@QueueHandler(\"order-placed\")"),
				arguments(HandlerOfNothing.class, "'value' of the @QueueHandler", "takes no payload",
						"isDefault = true"),
				arguments(TwoHandlersOfOneType.class, "'value' of the @QueueHandler",
						"'placed' is handled by the method handle", "Let one of the two"),
				arguments(TwoDefaultHandlers.class, "'isDefault' of the @QueueHandler", "no other one does already",
						"Leave isDefault out"),
				arguments(HandlersOfBatchesAndOfOne.class, "@QueueHandler on the method", "batches",
						"Give all @QueueHandler methods"),
				arguments(HandlerWithoutQueues.class, "@QueueHandler on the method", "no @QueueListener",
						"Add a @QueueListener to the class"),
				arguments(ClassWithoutHandlers.class, "@QueueListener on the class", "no method of the class",
						"Add @QueueHandler"),
				arguments(PrivateHandler.class, "@QueueHandler on the method", "is private", "public instance method"),
				arguments(TwoPayloadsOfAHandler.class, "@QueueHandler on the method", "would both be the payload",
						"Take the payload in one parameter"),
				arguments(NoConcurrency.class, "'concurrency'", "'0' is not a number of handlers", "number from 1"),
				arguments(BackwardConcurrency.class, "'concurrency'", "'5-2' ends before it begins", "1-16"),
				arguments(WordyConcurrency.class, "'concurrency'", "'x' is not a number of handlers", "number from 1"),
				arguments(NoDuration.class, "'leaseTime'", "'soon' is not a duration", "30s"),
				arguments(ShortLease.class, "'leaseTime'", "100 ms", "Correct"),
				arguments(EndlessHandling.class, "'maxHandlingTime'", "3650 days", "Correct"),
				arguments(NoAttempts.class, "'maxAttempts'", "at least 1: 0", "Correct"),
				arguments(NoNumber.class, "'maxAttempts'", "'many' is not a whole number", "like 5"),
				arguments(BadJitter.class, "'jitter'", "0 to 1: 1.5", "Correct"),
				arguments(BadMultiplier.class, "'multiplier'", "1 to 1000: 0.5", "Correct"),
				arguments(BadBackoff.class, "'backoff.initialInterval'", "'x' is not a duration", "30s"),
				arguments(ShortMaxInterval.class, "'maxInterval'", "must not be shorter", "Correct"),
				arguments(LongMaxInterval.class, "'maxInterval'", "at most 3650 days", "Correct"),
				arguments(BadFlag.class, "'autoStartup'", "'maybe' is not true or false", "true or false"),
				arguments(NegativePrefetch.class, "'prefetch'", "0 or more: -1", "Correct"),
				arguments(NoQueue.class, "'queues'", "no queue is named", "@QueueListener(\"orders\")"),
				arguments(EmptyQueue.class, "'queues'", "no queue is named", "@QueueListener(\"orders\")"),
				arguments(BadQueueName.class, "'queues'", "'a{b}' is not the name of a queue", "letter or a digit"),
				arguments(BatchSizeWithoutList.class, "'batchSize'", "does not take batches", "java.util.List"),
				arguments(BatchTimeoutWithoutList.class, "'batchTimeout'", "does not take batches", "java.util.List"),
				arguments(HugeBatch.class, "'batchSize'", "1 to 1000: 1001", "Correct"),
				arguments(SameId.class, "'id'", "'same' is taken by the listener 'same'", "another id"),
				arguments(PrivateMethod.class, "", "the method is private", "public"),
				arguments(StaticMethod.class, "", "the method is static", "instance method"),
				arguments(FinalMethod.class, "", "the method is final", "not final"),
				arguments(TwoPayloads.class, "", "parameters 0 (java.lang.String) and 2 (java.lang.Integer) would both",
						"@Header"),
				arguments(BeanParameter.class, "", "is the type of a bean", "constructor"),
				arguments(BatchWithInfo.class, "", "a batch has no DeliveryInfo", "List<Message<…>>"),
				arguments(BatchWithDelivery.class, "", "a batch has no MessageDelivery", "List<Message<…>>"),
				arguments(BatchWithCheckpoint.class, "", "it takes a Checkpoint and a batch", "one message at a time"),
				arguments(TwoCheckpoints.class, "", "it takes two Checkpoints", "one Checkpoint"),
				arguments(UntypedCheckpoint.class, "", "does not say what is saved", "Checkpoint<Position>"),
				arguments(BatchWithState.class, "", "it takes a RecurringState and a batch", "one message at a time"),
				arguments(TwoStates.class, "", "it takes two RecurringStates", "one RecurringState"),
				arguments(UntypedState.class, "", "does not say what is saved", "RecurringState<Position>"),
				arguments(StateBeforeHandling.class, "'ackMode'", "acknowledged before", "AUTO"),
				arguments(CheckpointBeforeHandling.class, "'ackMode'", "delivered once at most", "AUTO"),
				arguments(BatchWithMessage.class, "", "a batch has no Message", "List<Message<…>>"),
				arguments(BatchWithHeader.class, "", "no header 'redelay_attempt'", "List<Message<…>>"),
				arguments(Unvalidated.class, "", "there is no Validator", "spring-boot-starter-validation"),
				arguments(UnawaitableFuture.class, "", "cannot be waited for", "CompletableFuture"),
				arguments(NoFactory.class, "'containerFactory'", "named 'missing'", "Define the bean"),
				arguments(WrongFactory.class, "'containerFactory'", "named 'aService'", "Define the bean"),
				arguments(NoErrorHandler.class, "'errorHandler'", "no QueueErrorHandler bean named 'missing'",
						"Define the bean"),
				arguments(WrongErrorHandler.class, "'errorHandler'",
						"the bean of this name is a " + Service.class.getName(),
						"as a io.redelay.queue.listener.QueueErrorHandler"),
				arguments(NoBackOff.class, "'backoff.bean'", "no BackOff bean named 'missing'", "Define the bean"),
				arguments(WrongBackOff.class, "'backoff.bean'", "no BackOff bean named 'aService'",
						"org.springframework.util.backoff.BackOff"),
				arguments(TwoBackoffs.class, "'backoff.bean'", "the bean 'slow' says how long to wait, and so do",
						"Leave out"),
				arguments(NoInterceptor.class, "'interceptors'", "no DeliveryInterceptor bean named 'missing'",
						"Define the bean"),
				arguments(WrongInterceptor.class, "'interceptors'",
						"the bean of this name is a " + Service.class.getName(),
						"as a io.redelay.queue.listener.DeliveryInterceptor"),
				arguments(OwnDeadLetters.class, "'deadLetterQueue'", "'the.queue' would be its own dead-letter queue",
						"Name another queue"),
				arguments(BadDeadLetterQueue.class, "'deadLetterQueue'", "'a{b}' is not the name of a queue",
						"letter or a digit"),
				arguments(BadDeadLettersOf.class, "'deadLettersOf'", "'a,b' is not the name of a queue",
						"letter or a digit"),
				arguments(DeadLettersAndQueues.class, "'deadLettersOf'", "'queues' is given as well",
						"Leave 'queues' out: the listener listens to the queue 'orders.dead'"),
				arguments(DeadLettersInACircle.class, "'deadLetterQueue'", "in a circle: ", "keep its dead messages"),
				arguments(OwnUndertaker.class, "'deadLetterQueue'", "in a circle: ", "keep its dead messages"),
				arguments(TwoDeadLetterQueues.class, "'deadLetterQueue'",
						"of the queue 'orders' go to the queue 'orders.", "Name the same queue in both"),
				arguments(HandedOnAndListenedTo.class, "'dead", "of the queue 'orders' go to the queue 'orders.",
						"queues = \"orders.failed\""),
				arguments(BatchWithAttempt.class, "", "a batch has no FailedAttempt", "List<Message<…>>"),
				arguments(ForgottenAcknowledgment.class, "'ackMode'", "the method takes none", "Acknowledgment"),
				arguments(NoMap.class, "", "0 (java.lang.String) cannot be all the headers", "@Header"),
				arguments(Anything.class, "", "0 (java.lang.Object) does not say what to make of a payload",
						"Name the type"),
				arguments(ListOfAnything.class, "", "java.util.List<?>) does not say", "Name the type"),
				arguments(RawList.class, "", "java.util.List) does not say", "Name the type"),
				arguments(MessageOfAnything.class, "", "Message<java.lang.Object>) does not say", "Message<?>"),
				arguments(RawHandler.class, "", "what 'T' stands for in its parameter 0 (T) is not known",
						"extends Base<Order>"),
				arguments(RawMessageHandler.class, "", "what 'T' stands for", "extends Base<Order>"),
				arguments(RawPageHandler.class, "", "java.util.Map<java.lang.String, T[]>) is not known",
						"extends Base<Order>"),
				arguments(OptionalMessage.class, "", "wraps a Message, which is always there", "Message<Optional<…>>"),
				arguments(Prototype.class, "", "not a singleton", "singleton"));
	}

	@ParameterizedTest
	@MethodSource("listeners")
	void isRefused(Class<?> listener, String attribute, String problem, String mend) {
		runner().withBean("aService", Service.class)
			.withInitializer((context) -> register((GenericApplicationContext) context, listener))
			.run((context) -> {
				assertThat(context).hasFailed();
				assertThat(context.getStartupFailure()).isInstanceOf(InvalidQueueListenerException.class)
					.hasMessageContaining("'theListener'")
					.hasMessageContaining(listener.getSimpleName())
					.hasMessageContaining("andle")
					.hasMessageContaining(attribute)
					.hasMessageContaining(problem)
					.hasMessageContaining(mend);
			});
	}

	@Test
	void whatIsUnusualIsNotRefused() {
		runner().withBean("theListener", Unusual.class).run((context) -> assertThat(context).hasNotFailed());
	}

	@Test
	void aHeaderWithoutANameIsRefusedWhereTheClassDoesNotHaveIt(@TempDir Path folder) throws Exception {
		Class<?> listener = compile(folder, "Nameless",
				"import io.redelay.queue.QueueListener; import org.springframework.messaging.handler.annotation.Header;"
						+ "public class Nameless { @QueueListener(\"q\") public void handle(String text, @Header String tenant) { } }");
		isRefused(listener, "", "which header its parameter 1 (java.lang.String) takes is not known", "-parameters");
	}

	/**
	 * Compiles a class without the names of its parameters, as other builds do.
	 */
	private static Class<?> compile(Path folder, String name, String source) throws Exception {
		Path file = folder.resolve(name.replace('.', '/') + ".java");
		Files.createDirectories(file.getParent());
		Files.writeString(file, source);
		int failed = ToolProvider.getSystemJavaCompiler()
			.run(null, null, null, "-d", folder.toString(), "-proc:none", "-cp",
					System.getProperty("java.class.path") + File.pathSeparator + folder, file.toString());
		assertThat(failed).isZero();
		return new URLClassLoader(new URL[] { folder.toUri().toURL() }, InvalidListenerTests.class.getClassLoader())
			.loadClass(name);
	}

	@Test
	void whatAQueuesPropertiesSayIsRefusedAsWell() {
		runner().withBean("theListener", Good.class)
			.withPropertyValues("redelay.queue.queues[the.queue].concurrency=none")
			.run((context) -> assertThat(context.getStartupFailure()).isInstanceOf(InvalidQueueListenerException.class)
				.hasMessageContaining("'redelay.queue.queues[the.queue].concurrency'")
				.hasMessageContaining("'none'"));
	}

	@Test
	void deadMessagesThatAreHandedOnCannotHoldTheirKeys() {
		runner().withBean("theListener", HandedOnToTheDead.class)
			.withPropertyValues("redelay.queue.queues[the.queue].dead-holds-key=true")
			.run((context) -> assertThat(context.getStartupFailure()).isInstanceOf(InvalidQueueListenerException.class)
				.hasMessageContaining("'deadLetterQueue'")
				.hasMessageContaining("dead messages of the queue 'the.queue' are to hold their ordering keys")
				.hasMessageContaining("'redelay.queue.queues.the.queue.dead-holds-key'"));
		runner().withBean("theListener", ListenerOfTheDead.class)
			.withPropertyValues("redelay.queue.queues[the.queue].dead-holds-key=true")
			.run((context) -> assertThat(context.getStartupFailure()).isInstanceOf(InvalidQueueListenerException.class)
				.hasMessageContaining("'deadLettersOf'"));
	}

	@Test
	void theBeansThatPropertiesNameAreLookedForAsWell() {
		runner().withBean("theListener", Good.class)
			.withPropertyValues("redelay.queue.queues[the.queue].error-handler=missing")
			.run((context) -> assertThat(context.getStartupFailure()).isInstanceOf(InvalidQueueListenerException.class)
				.hasMessageContaining("'redelay.queue.queues[the.queue].error-handler'")
				.hasMessageContaining("'missing'"));
		runner().withBean("theListener", Good.class)
			.withPropertyValues("redelay.queue.listener.backoff.bean=missing")
			.run((context) -> assertThat(context.getStartupFailure()).isInstanceOf(InvalidQueueListenerException.class)
				.hasMessageContaining("'redelay.queue.listener.backoff.bean'")
				.hasMessageContaining("'missing'"));
	}

	static List<Arguments> properties() {
		return List.of(arguments("listener.max-attempts=0", "'redelay.queue.listener.max-attempts'"),
				arguments("queues[the.queue].max-attempts=0", "'redelay.queue.queues[the.queue].max-attempts'"),
				arguments("listener.lease-time=1ms", "'redelay.queue.listener.lease-time'"),
				arguments("listener.batch-size=5000", "'redelay.queue.listener.batch-size'"),
				arguments("queues[the.queue].backoff.jitter=7", "'redelay.queue.queues[the.queue].backoff.jitter'"),
				arguments("listener.backoff.multiplier=0", "'redelay.queue.listener.backoff.multiplier'"),
				arguments("listener.error-handler=missing", "'redelay.queue.listener.error-handler'"),
				arguments("queues[the.queue].dead-letter-queue=a{b}",
						"'redelay.queue.queues[the.queue].dead-letter-queue'"),
				arguments("queues[the.queue].dead-letter-queue=the.queue",
						"'redelay.queue.queues[the.queue].dead-letter-queue'"));
	}

	@ParameterizedTest
	@MethodSource("properties")
	void aPropertyIsNotBlamedOnTheAnnotation(String property, String place) {
		runner().withBean("theListener", BatchOfTheQueue.class)
			.withPropertyValues("redelay.queue." + property)
			.run((context) -> assertThat(context.getStartupFailure()).isInstanceOf(InvalidQueueListenerException.class)
				.hasMessageContaining(place)
				.hasMessageNotContaining("Correct the annotation"));
	}

	/**
	 * A value of each property that is refused.
	 */
	private static final List<String> OF_LISTENERS = List.of("concurrency=none", "prefetch=-7", "lease-time=-7s",
			"max-handling-time=-7s", "max-attempts=-7", "backoff.initial-interval=-7s", "backoff.multiplier=-7",
			"backoff.max-interval=-7s", "backoff.jitter=-7", "backoff.bean=missing", "error-handler=missing",
			"batch-size=-7", "batch-timeout=-7s", "auto-startup=maybe", "on-conversion-failure=what", "rate-limit=abc",
			"max-in-flight=-7", "key-rate-limit=abc", "key-max-in-flight=-7", "shared-limit=missing",
			"reset-attempts-on-progress=maybe", "idempotency-key=constant", "idempotency-window=-7s",
			"cancellation=what", "filter=missing");

	private static final List<String> OF_QUEUES = List.of("dead-letter-queue=a{b}", "dead-letters.max-count=0",
			"dead-letters.max-age=0s", "dead-letters.max-bytes=0B", "max-length=0", "overflow=what", "partitions=0",
			"priority-per-partition=maybe", "ordering-key=#{", "dead-holds-key=maybe", "fairness-key=#{",
			"fairness-weight=#{", "priority=#{", "priority-ageing=-7s", "completed.max-age=0s", "completed.max-count=0",
			"completed.max-bytes=0B", "completed.results=maybe", "delay=-7s", "weight=0", "ordering-key-max-length=0",
			"inlet.enabled=maybe", "forget-after=-7s", "far-horizon=-7s", "dead-letters.redrive.delay=-7s",
			"dead-letters.redrive.cron=never", "dead-letters.redrive.zone=Nowhere", "dead-letters.redrive.rounds=0",
			"dead-letters.redrive.rate=0/1s", "dead-letters.redrive.reasons=what");

	private static final List<String> OF_DEAD_LETTERS = List.of("max-count=0", "max-age=0s", "max-bytes=0B",
			"redrive.delay=0s", "redrive.cron=0 0 0 30 2 *", "redrive.zone=Nowhere", "redrive.rounds=1001",
			"redrive.rate=10", "redrive.reasons=what");

	static Stream<Arguments> refusedProperties() {
		return Stream
			.of(OF_LISTENERS.stream()
				.map((property) -> arguments("redelay.queue.listener.", property, "redelay.queue.listener.")),
					OF_LISTENERS.stream()
						.map((property) -> arguments("redelay.queue.queues[the.queue].", property,
								"redelay.queue.queues[the.queue].")),
					// What is checked before the name of the queue is known says <name>.
					OF_QUEUES.stream().map((property) -> arguments("redelay.queue.queues[the.queue].", property, ".")),
					OF_DEAD_LETTERS.stream()
						.map((property) -> arguments("redelay.queue.dead-letters.", property,
								"redelay.queue.dead-letters.")))
			.flatMap((each) -> each);
	}

	@ParameterizedTest
	@MethodSource
	void refusedProperties(String group, String property, String named) {
		runner().withBean("theListener", BatchOfTheQueue.class)
			.withPropertyValues(
					property.startsWith("idempotency-window") ? group + "idempotency-key=#{payload}" : "a=b",
					group + property)
			.run((context) -> assertThat(context).getFailure()
				.hasStackTraceContaining(named + property.substring(0, property.indexOf('=')))
				.hasStackTraceContaining("redelay.queue."));
	}

	@Test
	void eachPropertyOfListenersIsInTheTable() {
		assertThat(Stream
			.of(QueueListenerProperties.class, QueueListenerProperties.Handling.class,
					QueueListenerProperties.Limits.class, QueueListenerProperties.Idempotency.class)
			.flatMap(InvalidListenerTests::names))
			.containsExactlyInAnyOrderElementsOf(OF_LISTENERS.stream().map(InvalidListenerTests::name).toList());
		List<String> known = Stream.concat(OF_LISTENERS.stream(), OF_QUEUES.stream())
			.map(InvalidListenerTests::name)
			.toList();
		assertThat(names(SingleQueueProperties.class).filter((name) -> !name.startsWith("deduplication.")))
			.containsExactlyInAnyOrderElementsOf(known);
	}

	private static String name(String property) {
		return property.substring(0, property.indexOf('='));
	}

	private static Stream<String> names(Class<?> properties) {
		return Arrays.stream(properties.getRecordComponents()).flatMap((component) -> {
			String name = component.getName().replaceAll("([A-Z])", "-$1").toLowerCase(Locale.ROOT);
			// A group without a name.
			boolean flat = Stream.of(component.getDeclaringRecord().getDeclaredFields())
				.anyMatch((field) -> field.getName().equals(component.getName())
						&& field.isAnnotationPresent(Name.class));
			return component.getType().isRecord()
					? names(component.getType()).map((inner) -> flat ? inner : name + "." + inner) : Stream.of(name);
		});
	}

	@Test
	void queuesOfOneMethodMayNotDisagree() {
		runner().withBean("theListener", TwoQueues.class)
			.withPropertyValues("redelay.queue.queues.one.concurrency=1", "redelay.queue.queues.two.concurrency=2")
			.run((context) -> assertThat(context.getStartupFailure()).isInstanceOf(InvalidQueueListenerException.class)
				.hasMessageContaining("different things of 'concurrency'")
				.hasMessageContaining("a listener of its own"));
	}

	@Test
	void theFailureIsExplained(CapturedOutput output) {
		SpringApplication application = new SpringApplicationBuilder(IdleStore.Wiring.class, BadQueueName.class)
			.web(WebApplicationType.NONE)
			.registerShutdownHook(false)
			.build();
		assertThat(catchThrowable(application::run)).isInstanceOf(InvalidQueueListenerException.class);
		assertThat(output).contains("APPLICATION FAILED TO START")
			.contains("The attribute 'queues' of the @QueueListener on the method " + BadQueueName.class.getName()
					+ ".handle")
			.contains("cannot work: 'a{b}' is not the name of a queue.")
			.contains("Begin with a letter or a digit")
			.doesNotContain("\tat " + QueueListenerAnnotationBeanPostProcessor.class.getName());
	}

	private static void register(GenericApplicationContext context, Class<?> listener) {
		RootBeanDefinition definition = new RootBeanDefinition(listener);
		definition.setScope(listener.isAnnotationPresent(Scope.class) ? "prototype" : "singleton");
		context.registerBeanDefinition("theListener", definition);
	}

	private static ApplicationContextRunner runner() {
		return new ApplicationContextRunner().withUserConfiguration(IdleStore.Wiring.class, Proxies.class);
	}

	static class UnknownPlaceholder {

		@QueueListener("${no.such.property}")
		void handle(String text) {
		}

	}

	static class GroupWithoutTopic {

		@QueueListener(group = "billing")
		void handle(String text) {
		}

	}

	static class GroupOfAQueue {

		@QueueListener(queues = "q", group = "billing")
		void handle(String text) {
		}

	}

	static class TopicAndQueues {

		@QueueListener(queues = "q", topic = "orders")
		void handle(String text) {
		}

	}

	static class TopicAndDeadLetters {

		@QueueListener(topic = "orders", deadLettersOf = "q")
		void handle(String text) {
		}

	}

	static class BadTopic {

		@QueueListener(topic = "orders@billing")
		void handle(String text) {
		}

	}

	static class BadGroup {

		@QueueListener(topic = "orders", group = "a b")
		void handle(String text) {
		}

	}

	static class GroupLikeAnInstances {

		@QueueListener(topic = "orders", group = "_mine")
		void handle(String text) {
		}

	}

	static class UnknownTopic {

		@QueueListener(topic = "${no.such}")
		void handle(String text) {
		}

	}

	static class EmptyTopic {

		@QueueListener(topic = "#{''}")
		void handle(String text) {
		}

	}

	static class QueueLikeAGroup {

		@QueueListener("orders@billing")
		void handle(String text) {
		}

	}

	static class UnknownPlaceholderInConcurrency {

		@QueueListener(queues = "q", concurrency = "${no.such}")
		void handle(String text) {
		}

	}

	static class BrokenExpression {

		@QueueListener(queues = "q", maxAttempts = "#{nonsense.x}")
		void handle(String text) {
		}

	}

	static class HalfExpression {

		@QueueListener(queues = "q", id = "#{foo(")
		void handle(String text) {
		}

	}

	static class UnknownBean {

		@QueueListener(queues = "q", id = "#{@nothere.name}")
		void handle(String text) {
		}

	}

	static class WordyConversionFailure {

		@QueueListener(queues = "q", onConversionFailure = "maybe")
		void handle(String text) {
		}

	}

	static class BrokenKey {

		@QueueListener(queues = "q", idempotencyKey = "#{payload.")
		void handle(String text) {
		}

	}

	static class UnknownNameInKey {

		@QueueListener(queues = "q", idempotencyKey = "#{orderId}")
		void handle(String text) {
		}

	}

	static class ConstantKey {

		@QueueListener(queues = "q", idempotencyKey = "order")
		void handle(String text) {
		}

	}

	static class NoPropertyInKey {

		@QueueListener(queues = "q", idempotencyKey = "${no.such}#{id}")
		void handle(String text) {
		}

	}

	static class NoWindow {

		@QueueListener(queues = "q", idempotencyKey = "#{id}", idempotencyWindow = "0")
		void handle(String text) {
		}

	}

	static class WindowWithoutKey {

		@QueueListener(queues = "q", idempotencyWindow = "1h")
		void handle(String text) {
		}

	}

	static class WordyWindow {

		@QueueListener(queues = "q", idempotencyKey = "#{id}", idempotencyWindow = "long")
		void handle(String text) {
		}

	}

	static class NoConcurrency {

		@QueueListener(queues = "q", concurrency = "0")
		void handle(String text) {
		}

	}

	static class BackwardConcurrency {

		@QueueListener(queues = "q", concurrency = "5-2")
		void handle(String text) {
		}

	}

	static class AcknowledgmentAfterwards {

		@QueueListener(queues = "q", ackMode = AckMode.BEFORE_HANDLING)
		void handle(String text, Acknowledgment acknowledgment) {
		}

	}

	static class BatchAcknowledgmentAfterwards {

		@QueueListener(queues = "q", ackMode = AckMode.BEFORE_HANDLING)
		void handle(List<String> texts, BatchAcknowledgment acknowledgment) {
		}

	}

	static class BatchAcknowledgmentOfOne {

		@QueueListener("q")
		void handle(String text, BatchAcknowledgment acknowledgment) {
		}

	}

	static class BatchResultOfOne {

		@QueueListener("q")
		BatchResult handle(String text) {
			return BatchResult.create();
		}

	}

	static class BatchResultOfOneLater {

		@QueueListener("q")
		CompletableFuture<BatchResult> handle(String text) {
			return CompletableFuture.completedFuture(BatchResult.create());
		}

	}

	static class LockAfterwards {

		@QueueListener(queues = "q", ackMode = AckMode.BEFORE_HANDLING)
		@MyLock("x")
		public void handle(String text) {
		}

	}

	static class PausedAfterwards {

		@QueueListener(queues = "q", ackMode = AckMode.BEFORE_HANDLING)
		CompletableFuture<Paused> handle(String text) {
			return CompletableFuture.completedFuture(Paused.now());
		}

	}

	static class KeyAfterwards {

		@QueueListener(queues = "q", ackMode = AckMode.BEFORE_HANDLING, idempotencyKey = "#{payload}")
		void handle(String text) {
		}

	}

	static class ResetAfterwards {

		@QueueListener(queues = "q", ackMode = AckMode.BEFORE_HANDLING, resetAttemptsOnProgress = "true")
		void handle(String text) {
		}

	}

	static class ResetAtTimes {

		@QueueListener(queues = "q", resetAttemptsOnProgress = "sometimes")
		void handle(String text) {
		}

	}

	static class LimitAfterwards {

		@QueueListener(queues = "q", ackMode = AckMode.BEFORE_HANDLING, maxInFlight = "3")
		void handle(String text) {
		}

	}

	@QueueListener("q")
	static class UntypedHandler {

		@QueueHandler
		void handle(Thread.State untyped) {
		}

	}

	@QueueListener("q")
	static class HandlerOfNothing {

		@QueueHandler
		void handle(DeliveryInfo info) {
		}

	}

	@QueueListener("q")
	static class TwoHandlersOfOneType {

		@QueueHandler("placed")
		void handle(String text) {
		}

		@QueueHandler("placed, cancelled")
		void handle(byte[] bytes) {
		}

	}

	@QueueListener("q")
	static class TwoDefaultHandlers {

		@QueueHandler(isDefault = true)
		void handle(String text) {
		}

		@QueueHandler(isDefault = true)
		void handle(byte[] bytes) {
		}

	}

	@QueueListener("q")
	static class HandlersOfBatchesAndOfOne {

		@QueueHandler("placed")
		void handle(String text) {
		}

		@QueueHandler("cancelled")
		void handle(List<String> texts) {
		}

	}

	static class HandlerWithoutQueues {

		@QueueHandler("placed")
		void handle(String text) {
		}

	}

	@QueueListener("handle")
	static class ClassWithoutHandlers {

		void handle(String text) {
		}

	}

	@QueueListener("q")
	static class PrivateHandler {

		@QueueHandler("placed")
		@SuppressWarnings({ "UnusedMethod", "UnusedVariable" })
		private void handle(String text) {
		}

	}

	@QueueListener("q")
	static class TwoPayloadsOfAHandler {

		@QueueHandler("placed")
		void handle(String text, byte[] bytes) {
		}

	}

	static class WordyConcurrency {

		@QueueListener(queues = "q", concurrency = "x")
		void handle(String text) {
		}

	}

	static class NoDuration {

		@QueueListener(queues = "q", leaseTime = "soon")
		void handle(String text) {
		}

	}

	static class ShortLease {

		@QueueListener(queues = "q", leaseTime = "10ms")
		void handle(String text) {
		}

	}

	static class EndlessHandling {

		@QueueListener(queues = "q", maxHandlingTime = "9999999h")
		void handle(String text) {
		}

	}

	static class NoAttempts {

		@QueueListener(queues = "q", maxAttempts = "0")
		void handle(String text) {
		}

	}

	static class NoNumber {

		@QueueListener(queues = "q", maxAttempts = "many")
		void handle(String text) {
		}

	}

	static class BadJitter {

		@QueueListener(queues = "q", backoff = @Backoff(jitter = "1.5"))
		void handle(String text) {
		}

	}

	static class BadMultiplier {

		@QueueListener(queues = "q", backoff = @Backoff(multiplier = "0.5"))
		void handle(String text) {
		}

	}

	static class BadBackoff {

		@QueueListener(queues = "q", backoff = @Backoff(initialInterval = "x"))
		void handle(String text) {
		}

	}

	static class ShortMaxInterval {

		@QueueListener(queues = "q", backoff = @Backoff(initialInterval = "1m", maxInterval = "1s"))
		void handle(String text) {
		}

	}

	static class LongMaxInterval {

		@QueueListener(queues = "q", backoff = @Backoff(maxInterval = "9999999h"))
		void handle(String text) {
		}

	}

	static class BadFlag {

		@QueueListener(queues = "q", autoStartup = "maybe")
		void handle(String text) {
		}

	}

	static class NegativePrefetch {

		@QueueListener(queues = "q", prefetch = "-1")
		void handle(String text) {
		}

	}

	static class NoQueue {

		@QueueListener
		void handle(String text) {
		}

	}

	static class EmptyQueue {

		@QueueListener("${no.such:}")
		void handle(String text) {
		}

	}

	static class BadQueueName {

		@QueueListener("a{b}")
		void handle(String text) {
		}

	}

	static class BatchSizeWithoutList {

		@QueueListener(queues = "q", batchSize = "5")
		void handle(String text) {
		}

	}

	static class BatchTimeoutWithoutList {

		@QueueListener(queues = "q", batchTimeout = "5s")
		void handle(String text) {
		}

	}

	static class HugeBatch {

		@QueueListener(queues = "q", batchSize = "1001")
		void handle(List<String> texts) {
		}

	}

	static class SameId {

		@QueueListener(queues = "one", id = "same")
		void handle(String text) {
		}

		@QueueListener(queues = "two", id = "same")
		void handleToo(String text) {
		}

	}

	static class PrivateMethod {

		@QueueListener("q")
		private void handle() {
		}

		void calls() {
			handle();
		}

	}

	static class StaticMethod {

		@QueueListener("q")
		static void handle(String text) {
		}

	}

	static class FinalMethod {

		@QueueListener("q")
		final void handle(String text) {
		}

		@Async
		void advised() {
		}

	}

	static class TwoPayloads {

		@QueueListener("q")
		void handle(String text, DeliveryInfo info, Integer number) {
		}

	}

	static class BeanParameter {

		@QueueListener("q")
		void handle(Service service) {
		}

	}

	static class HandedOnToTheDead {

		@QueueListener(queues = "the.queue", deadLetterQueue = "the.dead")
		void handle(String text) {
		}

	}

	static class ListenerOfTheDead {

		@QueueListener(deadLettersOf = "the.queue")
		void handle(String text) {
		}

	}

	static class OwnDeadLetters {

		@QueueListener(queues = "the.queue", deadLetterQueue = "the.queue")
		void handle() {
		}

	}

	static class BadDeadLetterQueue {

		@QueueListener(queues = "the.queue", deadLetterQueue = "a{b}")
		void handle() {
		}

	}

	static class BadDeadLettersOf {

		@QueueListener(deadLettersOf = "a,b")
		void handle() {
		}

	}

	static class DeadLettersAndQueues {

		@QueueListener(queues = "other", deadLettersOf = "orders")
		void handle() {
		}

	}

	static class DeadLettersInACircle {

		@QueueListener(queues = "one", deadLetterQueue = "two")
		void handle() {
		}

		@QueueListener(queues = "two", deadLetterQueue = "three")
		void handleTwo() {
		}

		@QueueListener(queues = "three", deadLetterQueue = "one")
		void handleThree() {
		}

	}

	static class OwnUndertaker {

		@QueueListener(deadLettersOf = "orders", deadLetterQueue = "orders")
		void handle() {
		}

	}

	static class TwoDeadLetterQueues {

		@QueueListener(queues = "orders", deadLetterQueue = "orders.failed")
		void handle() {
		}

		@QueueListener(queues = "orders", deadLetterQueue = "orders.other")
		void handleToo() {
		}

	}

	static class HandedOnAndListenedTo {

		@QueueListener(queues = "orders", deadLetterQueue = "orders.failed")
		void handle() {
		}

		@QueueListener(deadLettersOf = "orders")
		void handleDead() {
		}

	}

	static class BatchWithAttempt {

		@QueueListener("the.queue")
		void handle(List<String> batch, FailedAttempt attempt) {
		}

	}

	static class BatchWithInfo {

		@QueueListener("q")
		void handle(List<String> texts, DeliveryInfo info) {
		}

	}

	static class BatchWithDelivery {

		@QueueListener("q")
		void handle(List<String> texts, MessageDelivery delivery) {
		}

	}

	static class BatchWithState {

		@QueueListener("q")
		void handle(List<String> texts, RecurringState<String> state) {
		}

	}

	static class TwoStates {

		@QueueListener("q")
		void handle(String text, RecurringState<String> first, RecurringState<Integer> second) {
		}

	}

	static class UntypedState {

		@QueueListener("q")
		void handle(String text, RecurringState<?> state) {
		}

	}

	static class StateBeforeHandling {

		@QueueListener(queues = "q", ackMode = AckMode.BEFORE_HANDLING)
		void handle(String text, RecurringState<String> state) {
		}

	}

	static class BatchWithCheckpoint {

		@QueueListener("q")
		void handle(List<String> texts, Checkpoint<String> checkpoint) {
		}

	}

	static class TwoCheckpoints {

		@QueueListener("q")
		void handle(String text, Checkpoint<String> first, Checkpoint<Integer> second) {
		}

	}

	static class UntypedCheckpoint {

		@QueueListener("q")
		void handle(String text, Checkpoint<?> checkpoint) {
		}

	}

	static class CheckpointBeforeHandling {

		@QueueListener(queues = "q", ackMode = AckMode.BEFORE_HANDLING)
		void handle(String text, Checkpoint<String> checkpoint) {
		}

	}

	static class BatchWithMessage {

		@QueueListener("q")
		void handle(List<String> texts, Message<String> message) {
		}

	}

	static class BatchWithHeader {

		@QueueListener("q")
		void handle(List<String> texts, @Header(QueueHeaders.ATTEMPT) int attempt) {
		}

	}

	static class Unvalidated {

		@QueueListener("q")
		void handle(@Valid Good good) {
		}

	}

	static class UnawaitableFuture {

		@QueueListener("q")
		Future<String> handle(String text) {
			return CompletableFuture.completedFuture("");
		}

	}

	static class NoFactory {

		@QueueListener(queues = "q", containerFactory = "missing")
		void handle(String text) {
		}

	}

	static class WrongFactory {

		@QueueListener(queues = "q", containerFactory = "aService")
		void handle(String text) {
		}

	}

	static class NoErrorHandler {

		@QueueListener(queues = "q", errorHandler = "${no.such:missing}")
		void handle(String text) {
		}

	}

	static class WrongErrorHandler {

		@QueueListener(queues = "q", errorHandler = "aService")
		void handle(String text) {
		}

	}

	static class NoBackOff {

		@QueueListener(queues = "q", backoff = @Backoff(bean = "missing"))
		void handle(String text) {
		}

	}

	static class WrongBackOff {

		@QueueListener(queues = "q", backoff = @Backoff(bean = "aService"))
		void handle(String text) {
		}

	}

	static class TwoBackoffs {

		@QueueListener(queues = "q", backoff = @Backoff(bean = "slow", jitter = "0"))
		void handle(String text) {
		}

	}

	static class NoInterceptor {

		@QueueListener(queues = "q", interceptors = { "redelayMdcDeliveryInterceptor", "missing" })
		void handle(String text) {
		}

	}

	static class WrongInterceptor {

		@QueueListener(queues = "q", interceptors = "aService")
		void handle(String text) {
		}

	}

	static class ForgottenAcknowledgment {

		@QueueListener(queues = "q", ackMode = AckMode.MANUAL)
		void handle(String text) {
		}

	}

	static class NoMap {

		@QueueListener("q")
		void handle(@Headers String text) {
		}

	}

	static class Anything {

		@QueueListener("q")
		void handle(Object payload) {
		}

	}

	static class ListOfAnything {

		@QueueListener("q")
		void handle(List<?> payloads) {
		}

	}

	static class RawList {

		@QueueListener("q")
		@SuppressWarnings("rawtypes")
		void handle(List payloads) {
		}

	}

	static class MessageOfAnything {

		@QueueListener("q")
		void handle(Message<Object> message) {
		}

	}

	static class RawHandler<T> {

		@QueueListener("q")
		void handle(T payload) {
		}

	}

	static class RawMessageHandler<T> {

		@QueueListener("q")
		void handle(List<Message<T>> messages) {
		}

	}

	static class RawPageHandler<T> {

		@QueueListener("q")
		void handle(Map<String, T[]> payload) {
		}

	}

	static class OptionalMessage {

		@QueueListener("q")
		void handle(Optional<Message<String>> message) {
		}

	}

	/**
	 * All of these can work, and are not refused.
	 */
	static class Unusual<T extends Service> {

		@QueueListener(queues = "bytes", ackMode = AckMode.MANUAL)
		void handle(Message<?> message) {
		}

		@QueueListener("raw")
		@SuppressWarnings("rawtypes")
		void handleRaw(Message message) {
		}

		@QueueListener("marked")
		void handleMarked(@Payload Object payload) {
		}

		@QueueListener("wild")
		void handle(Map<String, ?> payload, @Header("acknowledgment") Optional<String> header) {
		}

		@QueueListener("bounded")
		void handle(@Payload T payload) {
		}

		@QueueListener("named")
		void handle(String text, @Header String tenant) {
		}

		@QueueListener(queues = "headers", ackMode = AckMode.MANUAL)
		void handle(String text, @Headers Map<String, Object> headers) {
		}

		@QueueListener(queues = "header", ackMode = AckMode.MANUAL)
		void handle(String text, @Header(QueueHeaders.ACKNOWLEDGMENT) Acknowledgment acknowledgment) {
		}

		@QueueListener(queues = "batch", ackMode = AckMode.MANUAL)
		void handle(List<Message<?>> messages, @Header(QueueHeaders.QUEUE) String queue) {
		}

	}

	@Scope("prototype")
	static class Prototype {

		@QueueListener("q")
		void handle(String text) {
		}

	}

	static class BatchOfTheQueue {

		@QueueListener("the.queue")
		void handle(List<String> texts) {
		}

	}

	static class TwoQueues {

		@QueueListener({ "one", "two" })
		void handle(String text) {
		}

	}

	static class Good {

		@QueueListener("the.queue")
		void handle(@Payload String text) {
		}

	}

	static class Service {

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAsync(proxyTargetClass = true)
	static class Proxies {

	}

}
