package io.redelay.benchmarks;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.springframework.boot.ApplicationArguments;
import org.springframework.boot.DefaultApplicationArguments;
import org.springframework.boot.context.properties.bind.BindException;
import org.springframework.boot.context.properties.bind.BindHandler;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.bind.DataObjectPropertyName;
import org.springframework.boot.context.properties.bind.handler.NoUnboundElementsBindHandler;
import org.springframework.boot.context.properties.source.MapConfigurationPropertySource;
import org.springframework.core.NestedExceptionUtils;

/**
 * Reads the options of a benchmark from its command line: {@code --name=value}, or
 * {@code --name} for what is on or off. Spring Boot's {@link Binder} makes a record of
 * them, whose components are the options and whose annotations are the defaults.
 *
 * @since 0.1.0
 */
public final class BenchmarkOptions {

	private static final String PREFIX = "option";

	private BenchmarkOptions() {
	}

	/**
	 * Reads options.
	 * @param <T> the type of the options
	 * @param type a record with a component for each option
	 * @param args the command line
	 * @return the options
	 */
	public static <T extends Record> T read(Class<T> type, String... args) {
		return read(type, Map.of(), args);
	}

	/**
	 * Reads options for which there are other defaults than those of the record.
	 * @param <T> the type of the options
	 * @param type a record with a component for each option
	 * @param defaults what holds where the command line says nothing, by names
	 * @param args the command line
	 * @return the options
	 */
	public static <T extends Record> T read(Class<T> type, Map<String, String> defaults, String... args) {
		Map<String, String> values = new HashMap<>();
		defaults.forEach((name, value) -> values.put(PREFIX + "." + name, value));
		ApplicationArguments arguments = new DefaultApplicationArguments(args);
		List<String> others = arguments.getNonOptionArgs();
		if (!others.isEmpty()) {
			throw new IllegalArgumentException("%s: write options as '--name=value'".formatted(others));
		}
		for (String name : arguments.getOptionNames()) {
			List<String> given = arguments.getOptionValues(name);
			values.put(PREFIX + "." + name, (given == null || given.isEmpty()) ? "true" : String.join(",", given));
		}
		try {
			return new Binder(new MapConfigurationPropertySource(values)).bindOrCreate(PREFIX, Bindable.of(type),
					new NoUnboundElementsBindHandler(BindHandler.DEFAULT));
		}
		catch (BindException ex) {
			throw new IllegalArgumentException("Cannot read %s: %s The options are %s.".formatted(List.of(args),
					NestedExceptionUtils.getMostSpecificCause(ex).getMessage(), names(type)), ex);
		}
	}

	private static String names(Class<?> type) {
		return Stream.of(type.getRecordComponents())
			.map((component) -> "--" + DataObjectPropertyName.toDashedForm(component.getName()))
			.collect(Collectors.joining(", "));
	}

	/**
	 * Checks a number.
	 * @param name the option that it is of
	 * @param number the number
	 * @throws IllegalArgumentException if it is below 1
	 */
	public static void requirePositive(String name, int number) {
		if (number < 1) {
			throw new IllegalArgumentException("'--%s' must be at least 1: %d.".formatted(name, number));
		}
	}

}
