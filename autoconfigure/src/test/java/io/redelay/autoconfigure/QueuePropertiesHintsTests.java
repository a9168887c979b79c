package io.redelay.autoconfigure;

import java.lang.reflect.RecordComponent;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;

import org.springframework.aot.hint.RuntimeHints;
import org.springframework.boot.context.properties.bind.BindableRuntimeHintsRegistrar;
import org.springframework.core.ResolvableType;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for the hints that let a native image bind {@link NamedQueueProperties}.
 */
class QueuePropertiesHintsTests {

	@Test
	void allGroupsCanBeBoundInANativeImage() {
		RuntimeHints hints = new RuntimeHints();
		BindableRuntimeHintsRegistrar.forTypes(NamedQueueProperties.class).registerHints(hints);
		Set<Class<?>> groups = new LinkedHashSet<>();
		addGroups(NamedQueueProperties.class, groups);
		assertThat(groups).hasSizeGreaterThan(15)
			.as("without a hint; add @NestedConfigurationProperty to the component that is of the type")
			.allSatisfy((group) -> assertThat(hints.reflection().getTypeHint(group)).isNotNull()
				.satisfies((hint) -> assertThat(hint.constructors()).isNotEmpty()));
	}

	private static void addGroups(Class<?> type, Set<Class<?>> groups) {
		if (type.isRecord() && groups.add(type)) {
			Arrays.stream(type.getRecordComponents())
				.flatMap(QueuePropertiesHintsTests::types)
				.forEach((each) -> addGroups(each, groups));
		}
	}

	private static Stream<Class<?>> types(RecordComponent component) {
		ResolvableType type = ResolvableType.forType(component.getGenericType());
		return Stream.concat(Stream.of(type), Arrays.stream(type.getGenerics())).map(ResolvableType::toClass);
	}

}
