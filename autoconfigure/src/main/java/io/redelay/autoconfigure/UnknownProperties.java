package io.redelay.autoconfigure;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import io.redelay.guard.GuardLevel;
import io.redelay.log.PlainLog;
import org.apache.commons.logging.Log;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.config.BeanFactoryPostProcessor;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertySource;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.boot.context.properties.source.IterableConfigurationPropertySource;
import org.springframework.core.env.Environment;
import org.springframework.core.env.SystemEnvironmentPropertySource;

/**
 * Reports properties of {@code redelay} that do not exist, before the first bean is made:
 * where each is set, and the nearest one that exists. Reads the names of properties only
 * where one is set.
 */
final class UnknownProperties implements BeanFactoryPostProcessor {

	static final String LEVEL = "redelay.guard.unknown-properties";

	/**
	 * More are an application's own, and counted.
	 */
	static final int MOST = 20;

	private static final Log logger = PlainLog.of(UnknownProperties.class);

	private static final ConfigurationPropertyName ROOT = ConfigurationPropertyName.of("redelay");

	/**
	 * What Kubernetes sets in each pod for a service whose name begins with redelay.
	 */
	private static final String SERVICE = ".*\\.(service\\.(host|port([.\\[].*)?)|port(\\[\\d+]\\.(tcp|udp|sctp)(\\..*)?)?)";

	private final Environment environment;

	UnknownProperties(Environment environment) {
		this.environment = environment;
	}

	@Override
	public void postProcessBeanFactory(ConfigurableListableBeanFactory beanFactory) {
		List<String> problems = problems(beanFactory.getBeanClassLoader());
		if (problems.isEmpty()) {
			return;
		}
		if (level() == GuardLevel.FAIL) {
			throw new InvalidQueuePropertyException(String.join(". ", problems),
					"Correct the names, or set '" + LEVEL + "' to warn", null);
		}
		problems.forEach((problem) -> logger.warn(problem));
	}

	private GuardLevel level() {
		return Binder.get(this.environment).bind(LEVEL, GuardLevel.class).orElse(GuardLevel.WARN);
	}

	/**
	 * Returns a sentence for each property that does not exist.
	 */
	List<String> problems(@Nullable ClassLoader loader) {
		Map<ConfigurationPropertyName, Setting> settings = settings();
		List<String> problems = new ArrayList<>();
		if (settings.isEmpty() || level() == GuardLevel.OFF) {
			return problems;
		}
		removeKnown(settings, PropertyNames.load(loader, false));
		if (settings.isEmpty()) {
			return problems;
		}
		PropertyNames names = PropertyNames.load(loader, true);
		if (!names.isComplete()) {
			return problems;
		}
		removeKnown(settings, names);
		settings.forEach((name, setting) -> {
			String nearest = names.nearest(name);
			// Variables such as REDELAY_HOME are those of scripts and images.
			if (nearest != null || !setting.variable()) {
				problems.add(describe(setting.property(), nearest));
			}
		});
		int more = problems.size() - MOST;
		if (more > 0) {
			problems.subList(MOST, problems.size()).clear();
			problems.add(more + " more properties of 'redelay' do not exist either");
		}
		return problems;
	}

	private static void removeKnown(Map<ConfigurationPropertyName, Setting> settings, PropertyNames names) {
		settings.entrySet().removeIf((entry) -> names.contains(entry.getKey(), entry.getValue().variable()));
	}

	/**
	 * The properties that are set. One without a value is a group of YAML that has
	 * nothing in it.
	 */
	private Map<ConfigurationPropertyName, Setting> settings() {
		Map<ConfigurationPropertyName, Setting> settings = new LinkedHashMap<>();
		for (ConfigurationPropertySource source : ConfigurationPropertySources.get(this.environment)) {
			if (source instanceof IterableConfigurationPropertySource iterable) {
				boolean variables = source.getUnderlyingSource() instanceof SystemEnvironmentPropertySource;
				for (ConfigurationPropertyName name : iterable) {
					if (ROOT.isAncestorOf(name) && !(variables && name.toString().matches(SERVICE))) {
						ConfigurationProperty property = source.getConfigurationProperty(name);
						if (property != null && !"".equals(property.getValue())) {
							settings.putIfAbsent(name, new Setting(property, variables));
						}
					}
				}
			}
		}
		return settings;
	}

	private static String describe(ConfigurationProperty property, @Nullable String nearest) {
		return "Nothing reads '" + property.getName() + "' ("
				+ (property.getOrigin() != null ? property.getOrigin() : "of an unknown source")
				+ "), as Redelay has no such property. " + (nearest != null ? "Did you mean '" + nearest + "'?"
						: "Remove it, or look for its name in the chapter Configuration of the guide");
	}

	/**
	 * A property that is set.
	 *
	 * @param property the property
	 * @param variable whether it is an environment variable
	 */
	private record Setting(ConfigurationProperty property, boolean variable) {

	}

}
