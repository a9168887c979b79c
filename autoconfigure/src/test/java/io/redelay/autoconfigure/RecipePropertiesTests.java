package io.redelay.autoconfigure;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.yaml.snakeyaml.Yaml;

import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.BindContext;
import org.springframework.boot.context.properties.bind.BindHandler;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.env.YamlPropertySourceLoader;
import org.springframework.context.annotation.ClassPathScanningCandidateComponentProvider;
import org.springframework.core.annotation.AnnotationUtils;
import org.springframework.core.env.EnumerablePropertySource;
import org.springframework.core.env.MapPropertySource;
import org.springframework.core.env.StandardEnvironment;
import org.springframework.core.env.SystemEnvironmentPropertySource;
import org.springframework.core.io.FileSystemResource;
import org.springframework.core.type.filter.AnnotationTypeFilter;
import org.springframework.util.ClassUtils;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The properties, coordinates and metrics that the guide shows are there.
 */
class RecipePropertiesTests {

	private static final Path CODE = Path.of("src", "test", "java", "io", "redelay", "docs");

	private static final Path GUIDE = Path.of("..", "docs", "src", "docs", "asciidoc");

	private static final Pattern METRIC = Pattern.compile("\\bredelay_[a-z_]+[a-z]\\b");

	private static final Pattern COORDINATES = Pattern
		.compile("(?:io\\.redelay:|<groupId>io\\.redelay</groupId>\\s*<artifactId>)([a-z-]+)(?::([\\w.-]+))?");

	private static final Pattern PLUGIN = Pattern
		.compile("org\\.springframework\\.boot.*version *\\(?['\"]([\\d.]+)['\"]");

	@ParameterizedTest
	@MethodSource("applications")
	void eachPropertyOfRedelayIsBound(Path file) throws IOException {
		StandardEnvironment environment = new StandardEnvironment();
		List<String> names = load(file, environment);
		Set<String> bound = bind(environment);
		assertThat(names.stream().filter(RecipePropertiesTests::isOfRedelay)).as(file.toString())
			.allMatch((name) -> bound.contains(name) || bound.contains(name.replaceFirst("\\[\\d+]$", "")));
	}

	@Test
	void whatIsNoPropertyIsNotBound() {
		StandardEnvironment environment = new StandardEnvironment();
		environment.getPropertySources()
			.addFirst(new MapPropertySource("wrong", Map.of("redelay.queue.queues.orders.deduplication-key", "x",
					"redelay.queue.queues.orders.max-attempts", "3")));
		assertThat(bind(environment)).contains("redelay.queue.queues.orders.max-attempts")
			.doesNotContain("redelay.queue.queues.orders.deduplication-key");
	}

	@Test
	@SuppressWarnings("unchecked")
	void theVariableOfTheContainerIsAProperty() throws IOException {
		String deployment = Files.readString(CODE.resolve("recipes/kubernetes.yaml"));
		Map<String, Object> variables = Pattern.compile("name: (REDELAY_\\w+)")
			.matcher(deployment)
			.results()
			.collect(Collectors.toMap((match) -> match.group(1), (match) -> "shop-1"));
		assertThat(variables).hasSize(1);
		assertThat((Map<String, Object>) new Yaml().load(deployment)).containsKeys("apiVersion", "kind", "spec");
		StandardEnvironment environment = new StandardEnvironment();
		environment.getPropertySources()
			.replace(StandardEnvironment.SYSTEM_ENVIRONMENT_PROPERTY_SOURCE_NAME, new SystemEnvironmentPropertySource(
					StandardEnvironment.SYSTEM_ENVIRONMENT_PROPERTY_SOURCE_NAME, variables));
		assertThat(Binder.get(environment).bind("redelay.queue", RedelayQueueProperties.class).get().toInstanceName())
			.isEqualTo("shop-1");
	}

	@Test
	void eachArtifactIsInTheBom() throws IOException {
		String bom = Files.readString(Path.of("..", "bom", "pom.xml"));
		String parent = Files.readString(Path.of("..", "pom.xml"));
		int artifacts = 0;
		for (Path file : files(CODE, ".*\\.(gradle|kts|xml)")) {
			String text = Files.readString(file);
			List<String[]> all = COORDINATES.matcher(text)
				.results()
				.map((match) -> new String[] { match.group(1), match.group(2) })
				.toList();
			artifacts += all.size();
			assertThat(all).as(file.toString()).isNotEmpty().allSatisfy((artifact) -> {
				assertThat(bom).contains("<artifactId>" + artifact[0] + "<");
				if (artifact[1] != null) {
					assertThat(bom).contains("<version>" + artifact[1] + "<");
				}
			});
			PLUGIN.matcher(text)
				.results()
				.forEach((match) -> assertThat(parent)
					.contains("<spring-boot.version>" + match.group(1) + "</spring-boot.version>"));
		}
		assertThat(artifacts).isGreaterThan(10);
	}

	@Test
	void eachMetricIsInAScrape() throws IOException {
		String scrape = Files.readString(Path.of("..", "docs", "monitoring", "scrape.txt"));
		for (String recipe : List.of("dead-letter-alert.yaml", "keda.yaml")) {
			assertThat(METRIC.matcher(Files.readString(CODE.resolve("recipes").resolve(recipe))).results()).as(recipe)
				.isNotEmpty()
				.allSatisfy((metric) -> assertThat(scrape).contains("\n" + metric.group() + "{"));
		}
	}

	/**
	 * A file that no page includes is not tested for anybody.
	 */
	@Test
	void eachRecipeIsOnAPage() throws IOException {
		StringBuilder pages = new StringBuilder();
		for (Path page : files(GUIDE, ".*/do-[a-z-]+\\.adoc")) {
			pages.append(Files.readString(page));
		}
		assertThat(Pattern.compile("(?m)^\\[\\[do-").matcher(pages).results()).hasSizeGreaterThan(48);
		Set<String> stubs = Set.of("Mailer.java", "Pager.java", "FileStore.java", "RecipesIntegrationTests.java");
		assertThat(files(CODE.resolve("recipes"), ".*").stream()
			.map((file) -> file.getFileName().toString())
			.filter((name) -> !stubs.contains(name))).hasSizeGreaterThan(40)
			.allSatisfy((name) -> assertThat(pages).contains("/recipes/" + name + "["));
	}

	static List<Path> applications() throws IOException {
		return files(CODE, ".*\\.yaml").stream().filter(RecipePropertiesTests::isOfAnApplication).toList();
	}

	private static boolean isOfAnApplication(Path file) {
		return !Set.of("kubernetes.yaml", "keda.yaml", "dead-letter-alert.yaml")
			.contains(file.getFileName().toString());
	}

	private static boolean isOfRedelay(String name) {
		// Spring Boot has the access of each endpoint.
		return name.startsWith("redelay.")
				|| (name.startsWith("management.endpoint.queues.") && !name.endsWith(".access"));
	}

	private static List<String> load(Path file, StandardEnvironment environment) throws IOException {
		return new YamlPropertySourceLoader().load("recipe", new FileSystemResource(file))
			.stream()
			.flatMap((source) -> {
				environment.getPropertySources().addFirst(source);
				return Arrays.stream(((EnumerablePropertySource<?>) source).getPropertyNames());
			})
			.toList();
	}

	/**
	 * Binds all properties of Redelay that there are.
	 * @return the names of those that took a value
	 */
	private static Set<String> bind(StandardEnvironment environment) {
		Set<String> bound = new HashSet<>();
		BindHandler handler = new BindHandler() {

			@Override
			public Object onSuccess(ConfigurationPropertyName name, Bindable<?> target, BindContext context,
					Object result) {
				if (context.getConfigurationProperty() != null) {
					bound.add(name.toString());
				}
				return result;
			}

		};
		ClassPathScanningCandidateComponentProvider scanner = new ClassPathScanningCandidateComponentProvider(false);
		scanner.addIncludeFilter(new AnnotationTypeFilter(ConfigurationProperties.class));
		for (BeanDefinition candidate : scanner.findCandidateComponents("io.redelay.autoconfigure")) {
			Class<?> type = ClassUtils.resolveClassName(candidate.getBeanClassName(), null);
			String prefix = AnnotationUtils.findAnnotation(type, ConfigurationProperties.class).value();
			Binder.get(environment).bind(prefix, Bindable.of(type), handler);
		}
		return bound;
	}

	private static List<Path> files(Path folder, String pattern) throws IOException {
		try (Stream<Path> files = Files.walk(folder)) {
			return files.filter((file) -> Files.isRegularFile(file) && file.toString().matches(pattern))
				.sorted()
				.toList();
		}
	}

}
