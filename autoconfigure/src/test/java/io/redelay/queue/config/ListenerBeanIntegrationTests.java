package io.redelay.queue.config;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

import io.redelay.queue.OutboundMessage;
import io.redelay.queue.QueueListener;
import io.redelay.queue.QueueOperations;
import io.redelay.queue.claim.QueueListenerContainer;
import io.redelay.queue.listener.QueueHandler;
import io.redelay.test.ListenerApplication;
import io.redelay.test.QueueState;
import io.redelay.test.TestRedis;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;

import org.springframework.aop.MethodBeforeAdvice;
import org.springframework.aop.framework.ProxyFactory;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.beans.factory.config.CustomScopeConfigurer;
import org.springframework.beans.factory.support.MergedBeanDefinitionPostProcessor;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.Lazy;
import org.springframework.context.annotation.Scope;
import org.springframework.context.annotation.ScopedProxyMode;
import org.springframework.context.support.SimpleThreadScope;
import org.springframework.core.annotation.AliasFor;
import org.springframework.scheduling.annotation.Async;
import org.springframework.scheduling.annotation.EnableAsync;
import org.springframework.stereotype.Component;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.AbstractPlatformTransactionManager;
import org.springframework.transaction.support.DefaultTransactionStatus;
import org.springframework.transaction.support.TransactionSynchronizationManager;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

/**
 * Tests for the kinds of beans and methods that can listen.
 */
@ExtendWith(OutputCaptureExtension.class)
class ListenerBeanIntegrationTests {

	@RegisterExtension
	static final TestRedis redis = TestRedis.shared();

	/**
	 * What handlers saw; they write it with {@link #seen}.
	 */
	private static final BlockingQueue<String> seen = new LinkedBlockingQueue<>();

	private final String queue = TestRedis.queue();

	@BeforeEach
	void nothingWasSeen() {
		seen.clear();
	}

	@Test
	void aBeanWithSeveralMethodsAndOverloads() throws Exception {
		try (ListenerApplication application = start(SeveralMethods.class)) {
			assertThat(application.registry().getContainers()).extracting(QueueListenerContainer::getId)
				.containsExactlyInAnyOrder("severalMethods.one", "severalMethods.overloaded(String)",
						"severalMethods.overloaded(Integer)", "the id");
			application.queues().send(this.queue + "-one", "x");
			assertThat(next()).isEqualTo("one x");
			application.queues().send(this.queue + "-text", "x");
			assertThat(next()).isEqualTo("text x");
			application.queues().send(this.queue + "-number", 7);
			assertThat(next()).isEqualTo("number 7");
			application.queues().send(this.queue + "-id", "x");
			assertThat(next()).isEqualTo("id x");
		}
	}

	@Test
	void aMethodOfSeveralQueues() throws Exception {
		try (ListenerApplication application = ListenerApplication.on(redis)
			.beans(SeveralQueues.class)
			.with("some", this.queue + "-a, " + this.queue + "-b")
			.with("queue", this.queue)
			.start()) {
			assertThat(application.container().getSettings().queues()).containsOnlyKeys(this.queue + "-a",
					this.queue + "-b", this.queue + "-c", this.queue + "-d", this.queue + "-e");
			for (String each : List.of("-a", "-b", "-c", "-d", "-e")) {
				application.queues().send(this.queue + each, each);
				assertThat(next()).isEqualTo(each);
			}
		}
	}

	@Test
	void aMethodWithSeveralAnnotationsIsAListenerForEach() throws Exception {
		try (ListenerApplication application = start(Repeated.class)) {
			assertThat(application.registry().getContainers())
				.extracting(QueueListenerContainer::getId, (container) -> container.getSettings().concurrency().most())
				.containsExactlyInAnyOrder(tuple("repeated.handle", 8), tuple("repeated.handle-2", 2),
						tuple("third", 8));
			for (String each : List.of("-one", "-two", "-three")) {
				application.queues().send(this.queue + each, each);
				assertThat(next()).isEqualTo(each);
			}
		}
	}

	@Test
	void aClassWithSeveralAnnotationsIsAListenerForEach() throws Exception {
		try (ListenerApplication application = start(RepeatedClass.class)) {
			assertThat(application.registry().getContainers()).extracting(QueueListenerContainer::getId)
				.containsExactlyInAnyOrder("repeatedClass", "repeatedClass-2");
			for (String each : List.of("-one", "-two")) {
				application.queues().send(this.queue + each, each);
				assertThat(next()).isEqualTo("text " + each);
				application.queues().send(OutboundMessage.to(this.queue + each, 7).payloadType("number"));
				assertThat(next()).isEqualTo("number 7");
			}
		}
	}

	@Test
	void annotationsOfAMethodReplaceThoseOfTheOneThatItOverrides() {
		try (ListenerApplication application = start(Overriding.class)) {
			assertThat(application.container().getSettings().queues()).containsOnlyKeys(this.queue + "-own");
		}
	}

	@Test
	void aMetaAnnotationWithAliases() throws Exception {
		try (ListenerApplication application = start(Composed.class)) {
			assertThat(application.container().getId()).isEqualTo("composed");
			assertThat(application.container().getSettings().concurrency().most()).isEqualTo(3);
			application.queues().send(this.queue, "x");
			assertThat(next()).isEqualTo("composed x");
		}
	}

	@Test
	void anAnnotatedMethodOfAnInterface() throws Exception {
		checkHandles(OfInterface.class, "implementation x");
	}

	@Test
	void anAnnotatedDefaultMethod() throws Exception {
		checkHandles(OfDefaultMethod.class, "default x");
	}

	@Test
	void aJdkProxy() throws Exception {
		try (ListenerApplication application = ListenerApplication.on(redis)
			.beans(TransactionalOfInterface.class, Transactions.class)
			.with("queue", this.queue)
			.with("spring.aop.proxy-target-class", false)
			.start()) {
			assertThat(AopUtils.isJdkDynamicProxy(application.bean(ItemHandler.class))).isTrue();
			application.queues().send(this.queue, new Item("x"));
			assertThat(next()).isEqualTo("transaction true x");
		}
	}

	@Test
	void aCglibProxyOfAPackagePrivateMethod() throws Exception {
		try (ListenerApplication application = ListenerApplication.on(redis)
			.beans(TransactionalPackagePrivate.class, Transactions.class)
			.with("queue", this.queue)
			.start()) {
			assertThat(AopUtils.isCglibProxy(application.bean(TransactionalPackagePrivate.class))).isTrue();
			application.queues().send(this.queue, "x");
			assertThat(next()).isEqualTo("transaction true x");
		}
	}

	/**
	 * A failure rolls the transaction back, and what the method sent in it with it.
	 */
	@Test
	void eachMethodOfAListenerOfSeveralHasItsTransaction() throws Exception {
		try (ListenerApplication application = ListenerApplication.on(redis)
			.beans(TransactionalHandlers.class, Transactions.class)
			.with("queue", this.queue)
			.start()) {
			assertThat(AopUtils.isCglibProxy(application.bean(TransactionalHandlers.class))).isTrue();
			application.queues().send(OutboundMessage.to(this.queue, "x").payloadType("text"));
			assertThat(next()).isEqualTo("transaction true x");
			application.queues().send(OutboundMessage.to(this.queue, 7).payloadType("number").maxAttempts(1));
			assertThat(QueueState.of(redis, this.queue).awaitDead().message()).contains("thrown by a test");
			assertThat(next()).isEqualTo("transaction true 7");
			QueueState next = QueueState.of(redis, this.queue + "-next");
			Awaitility.await().untilAsserted(() -> assertThat(next.messages()).hasSize(1));
			assertThat(next.messages().toString()).doesNotContain("after 7");
		}
	}

	@Test
	void asynchronousAdviceIsApplied(CapturedOutput output) throws Exception {
		try (ListenerApplication application = ListenerApplication.on(redis)
			.beans(Asynchronous.class, WithAsync.class)
			.with("queue", this.queue)
			.start()) {
			application.queues().send(this.queue, "x");
			assertThat(next()).startsWith("async x").doesNotContain("redelay-handler");
			assertThat(output).contains("Asynchronous.handle").contains("done before they are handled");
			QueueState.of(redis, this.queue).awaitDrained();
		}
	}

	@Test
	void adviceOfALaterPostProcessorIsApplied() throws Exception {
		try (ListenerApplication application = ListenerApplication.on(redis)
			.beans(LateProxy.class, Plain.class)
			.with("queue", this.queue)
			.start()) {
			application.queues().send(this.queue, "x");
			assertThat(next()).isEqualTo("advice");
			assertThat(next()).isEqualTo("plain x");
		}
	}

	@Test
	void aGenericSuperclass() throws Exception {
		try (ListenerApplication application = start(ItemListener.class)) {
			application.queues().send(this.queue, new Item("x"));
			assertThat(next()).isEqualTo("Item x");
			application.queues().send(this.queue + "-batch", new Item("y"));
			assertThat(next()).isEqualTo("batch Item y");
		}
	}

	@Test
	void aBeanMadeByAMethod() throws Exception {
		checkHandles(Factory.class, "plain x");
	}

	@Test
	void aBeanMadeByAMethodThatGivesAnInterface() throws Exception {
		checkHandles(InterfaceFactory.class, "plain x");
	}

	@Test
	void aLazyBean() throws Exception {
		checkHandles(LazyPlain.class, "lazy x");
	}

	@Test
	void lazyInitialization() throws Exception {
		try (ListenerApplication application = ListenerApplication.on(redis)
			.beans(Plain.class)
			.with("queue", this.queue)
			.with("spring.main.lazy-initialization", true)
			.start()) {
			application.queues().send(this.queue, "x");
			assertThat(next()).isEqualTo("plain x");
		}
	}

	@Test
	void aScopedProxy() throws Exception {
		try (ListenerApplication application = start(ScopedConfiguration.class)) {
			application.queues().send(this.queue, "x");
			assertThat(next()).isEqualTo("scoped x");
			application.queues().send(this.queue, "y");
			assertThat(next()).isEqualTo("scoped y");
			assertThat(application.registry().getContainers()).hasSize(1);
		}
	}

	@Test
	void containersCanBeStoppedAndStarted() throws Exception {
		try (ListenerApplication application = ListenerApplication.on(redis)
			.beans(Plain.class)
			.with("queue", this.queue)
			.with("redelay.queue.listener.auto-startup", false)
			.start()) {
			QueueListenerContainer container = application.registry().getContainer("plain.handle");
			assertThat(container).isNotNull();
			assertThat(container.isRunning()).isFalse();
			assertThat(application.registry().getContainer("no such")).isNull();
			application.queues().send(this.queue, "1");
			assertThat(seen.poll(200, TimeUnit.MILLISECONDS)).isNull();
			container.start();
			container.start();
			assertThat(next()).isEqualTo("plain 1");
			assertThat(container.isRunning()).isTrue();
			container.stop(Duration.ofSeconds(20)).get(60, TimeUnit.SECONDS);
			assertThat(container.isRunning()).isFalse();
			application.queues().send(this.queue, "2");
			assertThat(seen.poll(200, TimeUnit.MILLISECONDS)).isNull();
			container.start();
			assertThat(next()).isEqualTo("plain 2");
		}
	}

	private void checkHandles(Class<?> source, String expected) throws InterruptedException {
		try (ListenerApplication application = start(source)) {
			application.queues().send(this.queue, "x");
			assertThat(next()).isEqualTo(expected);
			assertThat(application.registry().getContainers()).hasSize(1);
		}
	}

	private ListenerApplication start(Class<?>... sources) {
		return ListenerApplication.on(redis).beans(sources).with("queue", this.queue).start();
	}

	private static String next() throws InterruptedException {
		String next = seen.poll(60, TimeUnit.SECONDS);
		assertThat(next).as("what the handler saw").isNotNull();
		return next;
	}

	record Item(String name) {

	}

	@Component("severalMethods")
	static class SeveralMethods {

		@QueueListener("${queue}-one")
		public void one(String text) {
			seen.add("one " + text);
		}

		@QueueListener("${queue}-text")
		void overloaded(String text) {
			seen.add("text " + text);
		}

		@QueueListener("${queue}-number")
		protected void overloaded(Integer number) {
			seen.add("number " + number);
		}

		@QueueListener(queues = "${queue}-id", id = "the #{'i' + 'd'}")
		void withId(String text) {
			seen.add("id " + text);
		}

	}

	@Component
	static class SeveralQueues {

		@QueueListener({ "${some}", "${queue}-c", "#{{'${queue}-d', '${queue}-e', '${queue}-c'}}" })
		void handle(String text) {
			seen.add(text);
		}

	}

	@Component("repeated")
	static class Repeated {

		@QueueListener("${queue}-one")
		@QueueListener(queues = "${queue}-two", concurrency = "2")
		@QueueListener(queues = "${queue}-three", id = "third")
		void handle(String text) {
			seen.add(text);
		}

	}

	@Component("repeatedClass")
	@QueueListener("${queue}-one")
	@QueueListener("${queue}-two")
	static class RepeatedClass {

		@QueueHandler(isDefault = true)
		void text(String text) {
			seen.add("text " + text);
		}

		@QueueHandler("number")
		void number(Integer number) {
			seen.add("number " + number);
		}

	}

	@Component
	static class Overriding implements TextHandler {

		@Override
		@QueueListener("${queue}-own")
		public void handle(String text) {
			seen.add(text);
		}

	}

	@Target(ElementType.METHOD)
	@Retention(RetentionPolicy.RUNTIME)
	@QueueListener(id = "composed", concurrency = "3")
	@interface ImportantListener {

		@AliasFor(annotation = QueueListener.class, attribute = "queues")
		String[] from();

	}

	@Component
	static class Composed {

		@ImportantListener(from = "${queue}")
		void handle(String text) {
			seen.add("composed " + text);
		}

	}

	interface TextHandler {

		@QueueListener("${queue}")
		void handle(String text);

	}

	@Component
	static class OfInterface implements TextHandler {

		@Override
		public void handle(String text) {
			seen.add("implementation " + text);
		}

	}

	interface DefaultHandler {

		@QueueListener("${queue}")
		default void handle(String text) {
			seen.add("default " + text);
		}

	}

	@Component
	static class OfDefaultMethod implements DefaultHandler {

	}

	interface ItemHandler {

		void handle(Item item);

	}

	@Component
	static class TransactionalOfInterface implements ItemHandler {

		@Override
		@QueueListener("${queue}")
		@Transactional
		public void handle(Item item) {
			seen.add(
					"transaction " + TransactionSynchronizationManager.isActualTransactionActive() + " " + item.name());
		}

	}

	@Component
	static class TransactionalPackagePrivate {

		@QueueListener("${queue}")
		@Transactional
		void handle(String text) {
			seen.add("transaction " + TransactionSynchronizationManager.isActualTransactionActive() + " " + text);
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableTransactionManagement(proxyTargetClass = false)
	static class Transactions {

		@Bean
		PlatformTransactionManager transactionManager() {
			return new NoTransactionManager();
		}

	}

	@Component
	@QueueListener("${queue}")
	static class TransactionalHandlers {

		private final QueueOperations queues;

		private final String next;

		TransactionalHandlers(QueueOperations queues, @Value("${queue}-next") String next) {
			this.queues = queues;
			this.next = next;
		}

		@QueueHandler("text")
		@Transactional
		public void text(String text) {
			see(text);
		}

		@QueueHandler("number")
		@Transactional
		public void number(Integer number) {
			see(number);
			throw new IllegalStateException("thrown by a test");
		}

		private void see(Object payload) {
			this.queues.send(this.next, "after " + payload);
			seen.add("transaction " + TransactionSynchronizationManager.isActualTransactionActive() + " " + payload);
		}

	}

	@Component
	static class Asynchronous {

		@QueueListener("${queue}")
		@Async
		public void handle(String text) {
			seen.add("async " + text + " on " + Thread.currentThread().getName());
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAsync
	static class WithAsync {

	}

	@Component("plain")
	static class Plain {

		@QueueListener("${queue}")
		void handle(String text) {
			seen.add("plain " + text);
		}

	}

	abstract static class GenericListener<T> {

		@QueueListener("${queue}")
		void handle(T value) {
			seen.add(describe(value));
		}

		@QueueListener("${queue}-batch")
		void handleAll(List<T> values) {
			List<T> copy = new ArrayList<>(values);
			copy.forEach((value) -> seen.add("batch " + describe(value)));
		}

		abstract String describe(T value);

	}

	@Component
	static class ItemListener extends GenericListener<Item> {

		@Override
		String describe(Item value) {
			return "Item " + value.name();
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class Factory {

		@Bean
		Plain plain() {
			return new Plain();
		}

	}

	interface Marker {

	}

	static class MarkedPlain extends Plain implements Marker {

	}

	@Configuration(proxyBeanMethods = false)
	static class InterfaceFactory {

		@Bean
		Marker plain() {
			return new MarkedPlain();
		}

	}

	@Component
	@Lazy
	static class LazyPlain {

		@QueueListener("${queue}")
		void handle(String text) {
			seen.add("lazy " + text);
		}

	}

	@Configuration(proxyBeanMethods = false)
	@Import(ThreadScoped.class)
	static class ScopedConfiguration {

		@Bean
		static CustomScopeConfigurer scopes() {
			CustomScopeConfigurer scopes = new CustomScopeConfigurer();
			scopes.addScope("thread", new SimpleThreadScope());
			return scopes;
		}

	}

	/**
	 * Makes a proxy when all other post-processors have done their work: those of merged
	 * definitions come last.
	 */
	static class LateProxy implements MergedBeanDefinitionPostProcessor {

		@Override
		public void postProcessMergedBeanDefinition(RootBeanDefinition definition, Class<?> type, String name) {
		}

		@Override
		public Object postProcessAfterInitialization(Object bean, String beanName) {
			if (!(bean instanceof Plain)) {
				return bean;
			}
			ProxyFactory factory = new ProxyFactory(bean);
			factory.setProxyTargetClass(true);
			factory.addAdvice((MethodBeforeAdvice) (method, args, target) -> seen.add("advice"));
			return factory.getProxy();
		}

	}

	static class NoTransactionManager extends AbstractPlatformTransactionManager {

		@Override
		protected Object doGetTransaction() {
			return this;
		}

		@Override
		protected void doBegin(Object transaction, TransactionDefinition definition) {
		}

		@Override
		protected void doCommit(DefaultTransactionStatus status) {
		}

		@Override
		protected void doRollback(DefaultTransactionStatus status) {
		}

	}

	@Component
	@Scope(scopeName = "thread", proxyMode = ScopedProxyMode.TARGET_CLASS)
	static class ThreadScoped {

		@QueueListener("${queue}")
		public void handle(String text) {
			seen.add("scoped " + text);
		}

	}

}
