package io.redelay.queue.actuate;

import java.io.IOException;
import java.lang.reflect.RecordComponent;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

import io.redelay.lock.LockInfo;
import io.redelay.queue.admin.QueueAdmin;
import io.redelay.queue.recurring.RecurringInfo;
import org.junit.jupiter.api.Test;

import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.predicate.RuntimeHintsPredicates;
import org.springframework.core.ResolvableType;
import org.springframework.core.io.Resource;
import org.springframework.core.io.support.PathMatchingResourcePatternResolver;
import org.springframework.util.ClassUtils;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for the hints that let a native image serve the endpoints.
 */
class EndpointHintsTests {

	private static final String FOLDER = "io/redelay/queue/actuate/";

	private final RuntimeHints hints = new RuntimeHints();

	EndpointHintsTests() {
		new EndpointHints().registerHints(this.hints, null);
	}

	@Test
	void eachViewCanBeWritten() throws Exception {
		Set<Class<?>> records = new LinkedHashSet<>();
		for (Resource file : files("*.class")) {
			Class<?> type = ClassUtils.forName(
					"io.redelay.queue.actuate." + String.valueOf(file.getFilename()).replaceFirst("\\.class$", ""),
					null);
			if (type.isRecord() && isWritten(type.getName())) {
				records.add(type);
			}
		}
		assertThat(records).hasSizeGreaterThan(12);
		assertReadable(records);
	}

	private static boolean isWritten(String type) {
		return Stream
			.of("CommandView", "ErrorView", "HistoryView", "JobView", "MessageList", "MessageView", "QueueCounts",
					"QueueDetail", "QueueList", "RedriveView", "TimelineEntry")
			.anyMatch((view) -> type.matches("io[.]redelay[.]queue[.]actuate[.]" + view + "([$].*)?"));
	}

	@Test
	void eachRecordThatIsShownAsItIsCanBeRead() throws Exception {
		Set<Class<?>> records = new LinkedHashSet<>();
		for (String shown : List.of("QueueInspector.diagnose", "QueueInspector.waitingKeys", "DeadLetterAdmin.causes",
				"QueueInspector.instances", "TopicAdmin.info")) {
			Stream.of(QueueAdmin.class.getMethods())
				.flatMap((theme) -> Stream.of(theme.getReturnType().getMethods()))
				.filter((method) -> shown.equals(method.getDeclaringClass().getSimpleName() + "." + method.getName()))
				.forEach((method) -> add(ResolvableType.forMethodReturnType(method), records));
		}
		add(ResolvableType.forClass(RecurringInfo.class), records);
		add(ResolvableType.forClass(LockInfo.class), records);
		assertThat(records).hasSizeGreaterThan(12).contains(LockInfo.Waiter.class);
		assertReadable(records);
	}

	private static void add(ResolvableType type, Set<Class<?>> records) {
		Class<?> raw = type.toClass();
		if (raw.isRecord() && records.add(raw)) {
			Arrays.stream(raw.getRecordComponents())
				.forEach((component) -> add(ResolvableType.forType(component.getGenericType()), records));
		}
		Arrays.stream(type.getGenerics()).forEach((each) -> add(each, records));
	}

	private void assertReadable(Set<Class<?>> records) {
		for (Class<?> type : records) {
			for (RecordComponent component : type.getRecordComponents()) {
				assertThat(RuntimeHintsPredicates.reflection().onMethodInvocation(component.getAccessor()))
					.as("%s of %s", component.getName(), type)
					.accepts(this.hints);
			}
		}
	}

	@Test
	void eachFileOfThePageIsThere() throws IOException {
		assertThat(files("dashboard/*")).hasSizeGreaterThan(20)
			.allSatisfy((file) -> assertThat(
					RuntimeHintsPredicates.resource().forResource(FOLDER + "dashboard/" + file.getFilename()))
				.accepts(this.hints));
	}

	private static Resource[] files(String pattern) throws IOException {
		return new PathMatchingResourcePatternResolver().getResources("classpath*:" + FOLDER + pattern);
	}

}
