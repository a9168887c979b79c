package io.redelay;

import java.io.IOException;
import java.io.InputStream;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import com.tngtech.archunit.ArchConfiguration;
import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaCodeUnit;
import com.tngtech.archunit.core.domain.JavaConstructor;
import com.tngtech.archunit.core.domain.JavaMethod;
import com.tngtech.archunit.core.domain.JavaMethodCall;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.domain.JavaPackage;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.core.importer.Location;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.lang.ConditionEvents;
import com.tngtech.archunit.lang.SimpleConditionEvent;
import com.tngtech.archunit.library.dependencies.SlicesRuleDefinition;
import io.redelay.queue.request.ReplayMemory;
import io.redelay.scheduling.Scheduler;
import io.redelay.test.CapturedLog;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

import org.springframework.beans.factory.config.BeanFactoryPostProcessor;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.SearchStrategy;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.stereotype.Component;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideOutsideOfPackage;
import static com.tngtech.archunit.core.domain.properties.HasModifiers.Predicates.modifier;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.codeUnits;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.methods;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

/**
 * Keeps the arrows between the packages, and the conventions of auto-configurations.
 * Packages come in over time, so a rule may find nothing to look at.
 */
@AnalyzeClasses(packages = "io.redelay", importOptions = ArchitectureTests.Library.class)
class ArchitectureTests {

	private static final String AUTOCONFIGURE = "io.redelay.autoconfigure..";

	private static final String QUEUE = "io.redelay.queue";

	private static final String CONFIG = "io.redelay.queue.config..";

	private static final String[] ENGINE = { "io.redelay.queue.claim..", "io.redelay.queue.handle..",
			"io.redelay.queue.notes..", "io.redelay.queue.deadletter..", "io.redelay.queue.failure..",
			"io.redelay.queue.idempotency.." };

	private static final String[] STORE = { "io.redelay.queue.message..", "io.redelay.queue.request..",
			"io.redelay.queue.script..", "io.redelay.queue.wire.." };

	private static final String ADMIN = "io.redelay.queue.admin..";

	private static final String ACTUATE = "io.redelay.queue.actuate..";

	private static final String SCHEDULING = "io.redelay.scheduling..";

	private static final String LOCK = "io.redelay.lock..";

	private static final String REDISSON = "io.redelay.redisson..";

	/**
	 * What users import: their code names these types and no other ones.
	 */
	private static final String[] USERS = { "io.redelay.delivery", QUEUE, "io.redelay.queue.admin",
			"io.redelay.queue.batch", "io.redelay.queue.bundle", "io.redelay.queue.event", "io.redelay.queue.listener",
			"io.redelay.queue.recurring", "io.redelay.queue.work", "io.redelay.lock" };

	private static final int MOST_PARAMETERS = 8;

	/**
	 * What is on the way of each message, without an object for each part, and what
	 * becomes JSON.
	 */
	private static final Set<String> FLAT = Set.of("io.redelay.queue.message.StoredMessage",
			"io.redelay.queue.request.SendRequest", "io.redelay.queue.script.ClaimReply$Message",
			"io.redelay.queue.admin.engine.instance.InstanceDescription");

	/**
	 * What the types of users may be built on beside each other: checks of names and
	 * times, and the source of time and threads.
	 */
	private static final String[] GROUND = { "io.redelay.log", "io.redelay.queue.limits", "io.redelay.scheduling" };

	@ArchTest
	static final ArchRule nothingElseImportsTheAutoConfiguration = noClasses().that()
		.resideOutsideOfPackage(AUTOCONFIGURE)
		.should()
		.dependOnClassesThat()
		.resideInAPackage(AUTOCONFIGURE)
		.allowEmptyShould(true);

	@ArchTest
	static final ArchRule everyLogIsPlain = noClasses().that()
		.resideOutsideOfPackages("io.redelay.log", "io.redelay.embedded..")
		.should()
		.dependOnClassesThat()
		.haveNameMatching("org\\.apache\\.commons\\.logging\\.LogFactory|org\\.slf4j\\.Logger(Factory)?|"
				+ "java\\.util\\.logging\\.Logger|java\\.lang\\.System\\$Logger")
		.because("an id, a header or a failure with a line break would forge a line");

	@ArchTest
	static final ArchRule packagesAreFreeOfCycles = SlicesRuleDefinition.slices()
		.matching("io.redelay.(**)")
		.should()
		.beFreeOfCycles()
		.allowEmptyShould(true);

	@ArchTest
	static final ArchRule noPackageHasALargeCycleOfClasses = classes().should(new SmallCycles(5));

	@ArchTest
	static final ArchRule theStoreKnowsNoListener = noClasses().that()
		.resideInAnyPackage(STORE)
		.should()
		.dependOnClassesThat()
		.resideInAnyPackage(packages(ENGINE, CONFIG, ADMIN, ACTUATE, LOCK))
		.allowEmptyShould(true);

	@ArchTest
	static final ArchRule theListenerKnowsNoAnnotationProcessing = noClasses().that()
		.resideInAnyPackage(ENGINE)
		.should()
		.dependOnClassesThat()
		.resideInAnyPackage(CONFIG, ADMIN, ACTUATE)
		.allowEmptyShould(true);

	@ArchTest
	static final ArchRule theConfigurationKnowsNoAdministration = noClasses().that()
		.resideInAPackage(CONFIG)
		.should()
		.dependOnClassesThat()
		.resideInAnyPackage(ADMIN, ACTUATE)
		.allowEmptyShould(true);

	@ArchTest
	static final ArchRule theAdministrationKnowsNoActuator = noClasses().that()
		.resideInAPackage(ADMIN)
		.should()
		.dependOnClassesThat()
		.resideInAnyPackage(ACTUATE)
		.allowEmptyShould(true);

	@ArchTest
	static final ArchRule whatUsersImportKnowsNoEngine = classes().that()
		.resideInAnyPackage(USERS)
		.should()
		.onlyDependOnClassesThat(
				resideOutsideOfPackage("io.redelay..").or(resideInAnyPackage(USERS)).or(resideInAnyPackage(GROUND)));

	@ArchTest
	static final ArchRule whatUsersCallNamesOnlyWhatTheyCanImport = classes().that()
		.resideInAnyPackage(USERS)
		.and()
		.arePublic()
		.should(nameOnlyPublicTypesOfUsers());

	@ArchTest
	static final ArchRule theLockKnowsNoEngine = noClasses().that()
		.resideInAPackage(LOCK)
		.should()
		.dependOnClassesThat()
		.resideInAnyPackage(packages(ENGINE, packages(STORE, CONFIG, ADMIN, ACTUATE)))
		.allowEmptyShould(true);

	@ArchTest
	static final ArchRule theClientKnowsNeitherQueueNorLock = noClasses().that()
		.resideInAPackage(REDISSON)
		.should()
		.dependOnClassesThat()
		.resideInAnyPackage("io.redelay.queue..", LOCK)
		.allowEmptyShould(true);

	@ArchTest
	static final ArchRule onlyTheStoreTheLockTheGuardAndTheClientKnowRedisson = noClasses().that()
		.resideInAPackage("io.redelay..")
		.and()
		.resideOutsideOfPackages(packages(STORE, AUTOCONFIGURE, "io.redelay.guard..", LOCK, REDISSON))
		.should()
		.dependOnClassesThat()
		.resideInAPackage("org.redisson..")
		.allowEmptyShould(true);

	@ArchTest
	static final ArchRule onlyTheAutoConfigurationKnowsSpringBoot = noClasses().that()
		.resideInAPackage("io.redelay..")
		.and()
		.resideOutsideOfPackages(AUTOCONFIGURE, ACTUATE, REDISSON)
		.should()
		.dependOnClassesThat()
		.resideInAPackage("org.springframework.boot..")
		.allowEmptyShould(true);

	@ArchTest
	static final ArchRule nothingUsesTheInsidesOfJackson2 = noClasses().should()
		.dependOnClassesThat()
		.resideInAnyPackage("com.fasterxml.jackson.core..", "com.fasterxml.jackson.databind..")
		.allowEmptyShould(true);

	@ArchTest
	static final ArchRule autoConfigurationsArePublicAndFinal = classes().that()
		.areAnnotatedWith(AutoConfiguration.class)
		.should()
		.bePublic()
		.andShould()
		.haveModifier(JavaModifier.FINAL)
		.andShould()
		.haveSimpleNameEndingWith("AutoConfiguration")
		.andShould()
		.resideInAPackage(AUTOCONFIGURE)
		.allowEmptyShould(true);

	@ArchTest
	static final ArchRule autoConfigurationsAreListed = classes().that()
		.areAnnotatedWith(AutoConfiguration.class)
		.should(beListedForImport())
		.allowEmptyShould(true);

	@ArchTest
	static final ArchRule beansAreDeclaredPackagePrivate = methods().that()
		.areAnnotatedWith(Bean.class)
		.should()
		.bePackagePrivate()
		.allowEmptyShould(true);

	@ArchTest
	static final ArchRule postProcessorsAreDeclaredStatic = methods().that()
		.areAnnotatedWith(Bean.class)
		.and()
		.haveRawReturnType(JavaClass.Predicates.assignableTo(BeanPostProcessor.class)
			.or(JavaClass.Predicates.assignableTo(BeanFactoryPostProcessor.class)))
		.should()
		.beStatic()
		.allowEmptyShould(true);

	@ArchTest
	static final ArchRule beansAreDeclaredOnlyByAutoConfigurations = methods().that()
		.areAnnotatedWith(Bean.class)
		.should()
		.beDeclaredInClassesThat()
		.resideInAPackage(AUTOCONFIGURE)
		.allowEmptyShould(true);

	@ArchTest
	static final ArchRule nestedConfigurationsDoNotProxyTheirBeanMethods = classes().that()
		.areAnnotatedWith(Configuration.class)
		.should(notProxyBeanMethods())
		.allowEmptyShould(true);

	/**
	 * Time and threads come from {@link Scheduler}, or a test could not move the time.
	 */
	@ArchTest
	static final ArchRule onlyTheSchedulerKnowsTimeAndThreads = noClasses().that()
		.resideInAPackage("io.redelay..")
		.and()
		.resideOutsideOfPackage(SCHEDULING)
		// A default method of an interface that users implement has no scheduler.
		.and()
		.doNotHaveFullyQualifiedName("io.redelay.lock.LockHandle")
		// Blocks the thread of its caller.
		.and()
		.doNotHaveFullyQualifiedName("io.redelay.queue.admin.engine.QueueDrain")
		.should()
		.callMethodWhere(isOfTimeOrThreads())
		.allowEmptyShould(true);

	/**
	 * What waits on the timer of the JVM keeps its context from being freed, so each of
	 * these ends by itself a while after the context has closed. All others take the
	 * timer of their context.
	 */
	@ArchTest
	static final ArchRule nothingWaitsOnATimerThatOutlivesItsContext = codeUnits().that()
		.areDeclaredInClassesThat()
		.resideOutsideOfPackage(SCHEDULING)
		// A lock that is held when its context closes is still released; requests are
		// sent again for as long as a lease is, at most.
		.and(areNotDeclaredIn("io.redelay.lock.LockThreads", "io.redelay.lock.redisson.RedissonLockProvider",
				"io.redelay.lock.quorum.QuorumLockProvider"))
		// Gives up a reply that never comes, and looks only while one is awaited.
		.and(areNotDeclaredIn("io.redelay.queue.wire.Resender"))
		// Pauses before a request is sent again, also while its context is stopped.
		.and(areNotDeclaredIn("io.redelay.queue.wire.RedisScriptExecutor"))
		// Looks only while a callback waits.
		.and(areNotDeclaredIn("io.redelay.queue.send.CallbackExecutor"))
		// Ends the waiting for handlers.
		.and(areNotDeclaredIn("io.redelay.queue.claim.QueueListenerContainer"))
		// Takes the time only.
		.and(areNotDeclaredIn("io.redelay.autoconfigure.QueueHealthAutoConfiguration"))
		// One that remembers nothing, or is of no context.
		.and(areNotDeclaredIn("io.redelay.queue.request.ReplayMemory"))
		.should(notCall("the timer of the JVM", Scheduler.class, "unclosed"));

	@ArchTest
	static final ArchRule memoriesOfContextsHaveTheTimerOfTheContext = codeUnits().that()
		.areDeclaredInClassesThat()
		.resideInAPackage(AUTOCONFIGURE)
		.should(notMakeAMemoryWithoutATimer());

	/**
	 * {@link Scheduler} says whether a task will run.
	 */
	@ArchTest
	static final ArchRule onlyTheSchedulerCatchesRejectedTasks = codeUnits().that()
		.areDeclaredInClassesThat()
		.resideOutsideOfPackage(SCHEDULING)
		// It distinguishes a listener that closes from one that has no thread now.
		.and()
		.areNotDeclaredIn("io.redelay.queue.handle.HandlerExecutor")
		// Its callbacks run on an Executor, which users may wrap.
		.and()
		.areNotDeclaredIn("io.redelay.queue.send.QueueTemplate")
		.should(notCatchRejectedTasks())
		.allowEmptyShould(true);

	/**
	 * What starts, ends or listens with its context is made in each context; what a child
	 * may share with its parent is named here.
	 */
	@ArchTest
	static final ArchRule beansOfContextsAreMadeInEachContext = methods().that()
		.areAnnotatedWith(ConditionalOnMissingBean.class)
		.and(areNotNamed("redissonClient", // connections to one Redis
				"redelayMessageConverter", "redelayPayloadMasker", // know no context
				// Locks of a parent are entered again in a child.
				"redelayLockThreads", "fencedLockProvider", "quorumLockProvider", "lockTemplate", "lockActivity",
				"LockAutoConfiguration$TemplateConfiguration.lockAdmin",
				// One for each registry of meters or observations, or all would count
				// twice.
				"micrometerQueueListener", "micrometerQueueEvents", "micrometerLockListener", "micrometerQueueMeter",
				"queueGauges", "quorumGauges", "queueTags", "queueMeterFilter", "queueClaimTracer",
				"queueTracingHandler"))
		.should(lookInTheirContextOnly());

	/**
	 * Records that users read, and those that become JSON, are flat.
	 */
	@ArchTest
	static final ArchRule parametersAreGrouped = codeUnits().that(doNotMakeFlatValues())
		.should(haveAtMost(MOST_PARAMETERS));

	@ArchTest
	static final ArchRule onlyWhatHasManyPartsIsCalledFlat = classes().that(areNamed(FLAT))
		.should(haveAConstructorWithMoreThan(MOST_PARAMETERS));

	/**
	 * The times that they show are by the clock of Redis, which may differ.
	 */
	@ArchTest
	static final ArchRule endpointsDoNotUseTheClockOfTheJvm = codeUnits().that()
		.areDeclaredInClassesThat()
		.resideInAPackage(ACTUATE)
		// The time of a look is by the clock of the JVM.
		.and(areNotCalled("lookedAt"))
		.should(notCall("the clock of the JVM", Instant.class, "now"));

	@ArchTest
	static final ArchRule nothingIsFoundByScanning = noClasses().should()
		.beAnnotatedWith(Component.class)
		.allowEmptyShould(true);

	@ArchTest
	static final ArchRule packagesAreNullMarked = classes().that()
		.doNotHaveSimpleName("package-info")
		.should(resideInANullMarkedPackage())
		.allowEmptyShould(true);

	/**
	 * {@link OutputCaptureExtension} replaces {@code System.out} for each method, and
	 * puts back what was there before it: methods that run at the same time would put
	 * back each other's. A class that says that it may run at the same time would do so
	 * beside other classes, which count what a shared server does.
	 */
	@Test
	void testsThatRunAtTheSameTimeAreMethodsThatDoNotReplaceTheOutput() {
		// Of the classes that tests use, their names are enough.
		JavaClasses tests = ArchConfiguration.withThreadLocalScope((configuration) -> {
			configuration.setResolveMissingDependenciesFromClassPath(false);
			return new ClassFileImporter().importUrl(Library.TESTS);
		});
		classes().that(haveMethodsThatRunAtTheSameTime())
			.should()
			.onlyDependOnClassesThat()
			.areNotAssignableTo(OutputCaptureExtension.class)
			.because("%s is for them".formatted(CapturedLog.class.getName()))
			.check(tests);
		noClasses().should().beAnnotatedWith(Execution.class).check(tests);
	}

	private static String[] packages(String[] some, String... more) {
		return Stream.concat(Stream.of(some), Stream.of(more)).toArray(String[]::new);
	}

	private static DescribedPredicate<JavaClass> haveMethodsThatRunAtTheSameTime() {
		return DescribedPredicate.describe("have methods that run at the same time",
				(type) -> type.getMethods()
					.stream()
					.anyMatch((method) -> method.tryGetAnnotationOfType(Execution.class)
						.filter((execution) -> execution.value() == ExecutionMode.CONCURRENT)
						.isPresent()));
	}

	private static DescribedPredicate<JavaMethodCall> isOfTimeOrThreads() {
		Map<Class<?>, Set<String>> methods = Map.of(System.class, Set.of("nanoTime", "currentTimeMillis"), Thread.class,
				Set.of("sleep"), LockSupport.class, Set.of("parkNanos", "parkUntil"), CompletableFuture.class,
				Set.of("orTimeout", "completeOnTimeout", "delayedExecutor"));
		return DescribedPredicate.describe("is of time or threads",
				(call) -> methods.entrySet()
					.stream()
					.anyMatch((each) -> call.getTargetOwner().isEquivalentTo(each.getKey())
							&& each.getValue().contains(call.getName())));
	}

	private static DescribedPredicate<JavaMethod> areNotNamed(String... names) {
		return DescribedPredicate.describe("are not named " + List.of(names),
				(method) -> List.of(names)
					.stream()
					.noneMatch((name) -> (method.getOwner().getName() + "." + method.getName()).endsWith("." + name)));
	}

	private static ArchCondition<JavaMethod> lookInTheirContextOnly() {
		return new ArchCondition<>("look for beans in their context only") {

			@Override
			public void check(JavaMethod method, ConditionEvents events) {
				events.add(new SimpleConditionEvent(method,
						method.getAnnotationOfType(ConditionalOnMissingBean.class).search() == SearchStrategy.CURRENT,
						"%s looks into parents".formatted(method.getFullName())));
			}

		};
	}

	private static DescribedPredicate<JavaCodeUnit> doNotMakeFlatValues() {
		DescribedPredicate<JavaClass> values = resideInAnyPackage(packages(USERS, ACTUATE));
		return DescribedPredicate.describe("do not make flat values",
				(unit) -> !unit.getModifiers().contains(JavaModifier.SYNTHETIC)
						&& !(unit instanceof JavaConstructor && (FLAT.contains(unit.getOwner().getName())
								|| (unit.getOwner().isRecord() && values.test(unit.getOwner())))));
	}

	private static ArchCondition<JavaCodeUnit> haveAtMost(int parameters) {
		return new ArchCondition<>("have at most %d parameters".formatted(parameters)) {

			@Override
			public void check(JavaCodeUnit unit, ConditionEvents events) {
				int number = unit.getRawParameterTypes().size();
				events.add(new SimpleConditionEvent(unit, number <= parameters,
						"%s has %d parameters".formatted(unit.getFullName(), number)));
			}

		};
	}

	private static DescribedPredicate<JavaClass> areNamed(Set<String> names) {
		return DescribedPredicate.describe("are named " + names, (type) -> names.contains(type.getName()));
	}

	private static ArchCondition<JavaClass> haveAConstructorWithMoreThan(int parameters) {
		return new ArchCondition<>("have a constructor with more than %d parameters".formatted(parameters)) {

			@Override
			public void check(JavaClass type, ConditionEvents events) {
				events.add(new SimpleConditionEvent(type,
						type.getConstructors()
							.stream()
							.anyMatch((each) -> each.getRawParameterTypes().size() > parameters),
						"%s need not be listed".formatted(type.getName())));
			}

		};
	}

	private static DescribedPredicate<JavaCodeUnit> areNotCalled(String name) {
		return DescribedPredicate.describe("are not called " + name, (unit) -> !unit.getName().equals(name));
	}

	private static DescribedPredicate<JavaCodeUnit> areNotDeclaredIn(String... types) {
		return DescribedPredicate.describe("are not declared in " + List.of(types),
				(unit) -> !List.of(types).contains(unit.getOwner().getName()));
	}

	private static ArchCondition<JavaCodeUnit> notCall(String what, Class<?> owner, String method) {
		return new ArchCondition<>("not use " + what) {

			@Override
			public void check(JavaCodeUnit unit, ConditionEvents events) {
				boolean calls = unit.getCallsFromSelf()
					.stream()
					.anyMatch((call) -> call.getTargetOwner().isEquivalentTo(owner) && call.getName().equals(method));
				events.add(new SimpleConditionEvent(unit, !calls, "%s uses %s".formatted(unit.getFullName(), what)));
			}

		};
	}

	private static ArchCondition<JavaCodeUnit> notMakeAMemoryWithoutATimer() {
		return new ArchCondition<>("not make a ReplayMemory without the timer of the context") {

			@Override
			public void check(JavaCodeUnit unit, ConditionEvents events) {
				boolean makes = unit.getConstructorCallsFromSelf()
					.stream()
					.filter((call) -> call.getTargetOwner().isEquivalentTo(ReplayMemory.class))
					.anyMatch((call) -> call.getTarget()
						.getRawParameterTypes()
						.stream()
						.noneMatch((type) -> type.isEquivalentTo(Scheduler.class)));
				events.add(new SimpleConditionEvent(unit, !makes,
						"%s makes a ReplayMemory without a timer".formatted(unit.getFullName())));
			}

		};
	}

	private static ArchCondition<JavaCodeUnit> notCatchRejectedTasks() {
		return new ArchCondition<>("not catch a RejectedExecutionException") {

			@Override
			public void check(JavaCodeUnit unit, ConditionEvents events) {
				boolean catches = unit.getTryCatchBlocks()
					.stream()
					.flatMap((block) -> block.getCaughtThrowables().stream())
					.anyMatch((caught) -> caught.isEquivalentTo(RejectedExecutionException.class));
				events.add(new SimpleConditionEvent(unit, !catches,
						"%s catches a RejectedExecutionException".formatted(unit.getFullName())));
			}

		};
	}

	private static ArchCondition<JavaClass> beListedForImport() {
		Set<String> listed = listedForImport();
		return new ArchCondition<>("be listed for import") {

			@Override
			public void check(JavaClass type, ConditionEvents events) {
				events.add(new SimpleConditionEvent(type, listed.contains(type.getName()),
						"%s is not listed in %s".formatted(type.getName(), Library.IMPORTS)));
			}

		};
	}

	private static ArchCondition<JavaClass> notProxyBeanMethods() {
		return new ArchCondition<>("not proxy bean methods") {

			@Override
			public void check(JavaClass type, ConditionEvents events) {
				events.add(new SimpleConditionEvent(type,
						!type.getAnnotationOfType(Configuration.class).proxyBeanMethods(),
						"%s lacks proxyBeanMethods = false".formatted(type.getName())));
			}

		};
	}

	private static ArchCondition<JavaClass> resideInANullMarkedPackage() {
		return new ArchCondition<>("reside in a package with a @NullMarked package-info") {

			@Override
			public void check(JavaClass type, ConditionEvents events) {
				JavaPackage home = type.getPackage();
				events.add(new SimpleConditionEvent(type, home.isAnnotatedWith(NullMarked.class),
						"%s has no package-info.java with @NullMarked".formatted(home.getName())));
			}

		};
	}

	/**
	 * Looks at the parameters, results and exceptions of all that a user can call or
	 * override, and at what is in angle brackets.
	 */
	private static ArchCondition<JavaClass> nameOnlyPublicTypesOfUsers() {
		DescribedPredicate<JavaClass> visible = resideOutsideOfPackage("io.redelay..")
			.or(resideInAnyPackage(USERS).and(modifier(JavaModifier.PUBLIC)));
		return new ArchCondition<>("name only public types of users") {

			@Override
			public void check(JavaClass type, ConditionEvents events) {
				type.getCodeUnits().stream().filter(ArchitectureTests::isForUsers).forEach((called) -> {
					Set<JavaClass> named = new HashSet<>(called.getReturnType().getAllInvolvedRawTypes());
					called.getParameterTypes().forEach((each) -> named.addAll(each.getAllInvolvedRawTypes()));
					named.addAll(called.getThrowsClause().getTypes());
					named.stream()
						.map(JavaClass::getBaseComponentType)
						.filter(visible.negate())
						.forEach((each) -> events.add(SimpleConditionEvent.violated(called,
								"%s names %s".formatted(called.getFullName(), each.getName()))));
				});
			}

		};
	}

	private static boolean isForUsers(JavaCodeUnit called) {
		return called.getModifiers().contains(JavaModifier.PUBLIC)
				|| called.getModifiers().contains(JavaModifier.PROTECTED);
	}

	private static Set<String> listedForImport() {
		try (InputStream imports = ArchitectureTests.class.getResourceAsStream(Library.IMPORTS)) {
			return (imports != null) ? new String(imports.readAllBytes(), StandardCharsets.UTF_8).lines()
				.map((line) -> line.replaceFirst("#.*", "").strip())
				.filter((line) -> !line.isEmpty())
				.collect(Collectors.toSet()) : Set.of();
		}
		catch (IOException ex) {
			throw new IllegalStateException("Cannot read '%s'".formatted(Library.IMPORTS), ex);
		}
	}

	/**
	 * This library's own classes, wherever they are compiled to: its tests are where this
	 * class is, and the embedded Redis and the support of tests, in the same root
	 * package, are other modules.
	 */
	static final class Library implements ImportOption {

		static final String IMPORTS = "/META-INF/spring/%s.imports".formatted(AutoConfiguration.class.getName());

		static final URL TESTS = ArchitectureTests.class.getProtectionDomain().getCodeSource().getLocation();

		@Override
		public boolean includes(Location location) {
			return !location.asURI().toString().startsWith(TESTS.toString())
					&& !location.contains("/io/redelay/embedded/") && !location.contains("/io/redelay/test/");
		}

	}

}
