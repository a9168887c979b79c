package io.redelay.console;

import java.net.URI;
import java.net.URISyntaxException;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;

import org.springframework.beans.BeanUtils;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.data.redis.autoconfigure.DataRedisProperties;
import org.springframework.core.ResolvableType;
import org.springframework.core.env.Environment;

/**
 * The properties of a source. They have the names of those below
 * {@code spring.data.redis}, so that a source may be whatever an application may use:
 * standalone, with sentinels, a cluster, with TLS.
 *
 * @param name the name of the source, also in addresses
 * @param values the properties by their names, below that of the source
 */
record SourceSettings(String name, Map<String, String> values) {

	private static final String ROOT = "redelay.console.sources";

	/**
	 * Properties that are for all sources, as an application has them.
	 */
	private static final List<String> SHARED = List.of("redelay.health", "redelay.queue.log", "redelay.redisson",
			"management.endpoint.queues", "spring.ssl");

	/**
	 * What a source is asked to be: it listens to nothing, asks no instance for a stack,
	 * and connects when its context starts, so that the failure shows.
	 */
	private static final Map<String, String> FIXED = Map.of("redelay.queue.listener.enabled", "false",
			"redelay.queue.instance-name", "redelay-console", "redelay.queue.resend-timeout", "5s",
			"redelay.redisson.lazy-initialization", "false", "management.endpoint.queues.access", "read-only",
			"management.endpoint.queues.show-stacks", "never", "management.endpoints.web.exposure.include",
			"queues,locks");

	/**
	 * A source sends a few requests every five seconds, and waits for no lock.
	 */
	private static final Map<String, String> DEFAULTS = Map.of("redelay.redisson.threads", "1",
			"redelay.redisson.netty-threads", "2");

	/**
	 * Paths of the console itself.
	 */
	private static final Set<String> TAKEN = Set.of("error", "actuator");

	private static final Set<String> OWN = Set.of("keyprefix", "lockkeyprefix");

	private static final Set<String> LOCATIONS = Set.of("url", "host", "sentinel", "cluster", "masterreplica");

	private static final int LONGEST_REASON = 400;

	private static final String HELP = "A source has the properties of 'spring.data.redis', such as '" + ROOT
			+ ".shop.url=redis://redis.example.org:6379', and 'key-prefix' and 'lock-key-prefix'.";

	SourceSettings {
		values = Map.copyOf(values);
	}

	/**
	 * Reads the sources, in the order of their names.
	 * @throws ConsoleSettingsException if there is none, or one cannot be right
	 */
	static List<SourceSettings> of(Environment environment) {
		Map<String, Map<String, String>> named = Binder.get(environment)
			.bind(ROOT,
					Bindable.<Map<String, Map<String, String>>>of(
							ResolvableType.forClassWithGenerics(Map.class, ResolvableType.forClass(String.class),
									ResolvableType.forClassWithGenerics(Map.class, String.class, String.class))))
			.orElseGet(Map::of);
		if (named.isEmpty()) {
			throw new ConsoleSettingsException("The console has no source.", "Name at least one Redis. " + HELP);
		}
		List<SourceSettings> sources = new ArrayList<>();
		new TreeMap<>(named).forEach((name, values) -> {
			SourceSettings source = new SourceSettings(name, values);
			source.check();
			sources.add(source);
		});
		return List.copyOf(sources);
	}

	private void check() {
		if (!this.name.matches("[a-z0-9][a-z0-9-]{0,39}") || TAKEN.contains(this.name)) {
			throw new ConsoleSettingsException("'" + this.name + "' cannot be the name of a source.",
					"Its name is a part of its address: use lower-case letters, digits and '-', up to 40, and none of "
							+ TAKEN.stream().sorted().collect(Collectors.joining("', '", "'", "'")) + ".");
		}
		Set<String> roots = new HashSet<>();
		this.values.keySet().forEach((key) -> {
			String root = uniform(key.replaceFirst("[.\\[].*", ""));
			if (!OWN.contains(root) && !known().contains(root)) {
				throw new ConsoleSettingsException("'" + property(key) + "' is no property of a source.", HELP);
			}
			roots.add(root);
		});
		if (roots.stream().noneMatch(LOCATIONS::contains)) {
			throw new ConsoleSettingsException("'" + property("") + "' does not say where its Redis is.", HELP);
		}
		urls().forEach(this::checkUrl);
	}

	/**
	 * What is wrong with it is not said: the reason quotes the URL.
	 */
	private void checkUrl(String url) {
		URI uri = uri(url);
		if (uri == null || uri.getHost() == null || !String.valueOf(uri.getScheme()).matches("rediss?")) {
			throw new ConsoleSettingsException(
					"'" + property("url") + "' is no URL of a Redis. It is not shown, as it may have a password.",
					"Write 'redis://host:6379', or 'rediss://' for TLS. Encode other characters than letters and"
							+ " digits of a password, such as %40 for @, or give it in '" + property("password")
							+ "'.");
		}
	}

	/**
	 * The URL, if there is one; a YAML file may name it in capitals, too.
	 */
	private List<String> urls() {
		return this.values.entrySet()
			.stream()
			.filter((value) -> uniform(value.getKey()).equals("url"))
			.map(Map.Entry::getValue)
			.toList();
	}

	private static @Nullable URI uri(String url) {
		try {
			return new URI(url);
		}
		catch (URISyntaxException ex) {
			return null;
		}
	}

	private String property(String key) {
		return ROOT + "." + this.name + (key.isEmpty() ? "" : "." + key);
	}

	/**
	 * The properties of Spring Boot, without their inner ones.
	 */
	private static Set<String> known() {
		return Arrays.stream(BeanUtils.getPropertyDescriptors(DataRedisProperties.class))
			.map((property) -> uniform(property.getName()))
			.filter((property) -> !property.equals("class"))
			.collect(Collectors.toSet());
	}

	/**
	 * A name as it is compared: environment variables have neither capitals nor dashes.
	 */
	private static String uniform(String name) {
		return name.replace("-", "").toLowerCase(Locale.ROOT);
	}

	/**
	 * Returns the properties of the context of this source. It has no others, so that
	 * none that is meant for one source is for another one.
	 * @param console the properties of the console
	 */
	Map<String, Object> toProperties(Environment console) {
		Map<String, Object> properties = new HashMap<>(DEFAULTS);
		for (String shared : SHARED) {
			Binder.get(console)
				.bind(shared, Bindable.mapOf(String.class, String.class))
				.ifBound((values) -> values.forEach((key, value) -> properties.put(shared + "." + place(key), value)));
		}
		this.values.forEach((key, value) -> properties.put(switch (uniform(key)) {
			case "keyprefix" -> "redelay.queue.key-prefix";
			case "lockkeyprefix" -> "redelay.lock.key-prefix";
			default -> "spring.data.redis." + place(key);
		}, value));
		properties.putAll(FIXED);
		return properties;
	}

	/**
	 * Writes the places in a list as the binding of properties reads them: it gives
	 * {@code nodes.0} for {@code nodes[0]}.
	 */
	private static String place(String key) {
		return key.replaceAll("\\.(\\d+)(?=\\.|$)", "[$1]");
	}

	/**
	 * Returns the reason of a failure in a line, without secrets, for the log and for the
	 * page.
	 * @param message the message of an exception
	 */
	String reason(@Nullable String message) {
		String reason = String.valueOf(message).split("\\. channel: |\\. Node source: |\\R", 2)[0];
		for (String secret : secrets()) {
			reason = reason.replace(secret, "***");
		}
		reason = reason.replaceAll("(://)[^/@\\s]*@", "$1***@");
		return (reason.length() > LONGEST_REASON) ? reason.substring(0, LONGEST_REASON) + "…" : reason;
	}

	private List<String> secrets() {
		List<String> secrets = new ArrayList<>();
		this.values.forEach((key, value) -> {
			if (uniform(key).contains("password")) {
				secrets.add(value);
			}
		});
		for (String url : urls()) {
			URI uri = uri(url);
			String user = (uri != null) ? uri.getRawUserInfo() : null;
			if (user != null) {
				String password = user.substring(user.indexOf(':') + 1);
				secrets.add(password);
				secrets.add(URLDecoder.decode(password, StandardCharsets.UTF_8));
			}
		}
		secrets.removeIf(String::isEmpty);
		// One may be the beginning of another one.
		secrets.sort(Comparator.comparingInt(String::length).reversed());
		return secrets;
	}

	@Override
	public String toString() {
		return this.name;
	}

}
