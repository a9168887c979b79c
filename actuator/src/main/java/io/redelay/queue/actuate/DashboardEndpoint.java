package io.redelay.queue.actuate;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Supplier;
import java.util.regex.Pattern;

import org.springframework.boot.actuate.endpoint.EndpointId;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.web.PathMappedEndpoints;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;
import org.springframework.boot.actuate.endpoint.web.annotation.WebEndpoint;
import org.springframework.core.io.ClassPathResource;
import org.springframework.core.io.Resource;
import org.springframework.util.MimeType;
import org.springframework.util.StringUtils;

/**
 * The endpoint {@code redelay}: the page that shows queues and locks, and its files. It
 * holds no data; it reads those of the endpoints {@code queues} and {@code locks}.
 *
 * @since 0.1.0
 */
@WebEndpoint(id = "redelay")
public final class DashboardEndpoint {

	private static final EndpointId ID = EndpointId.of("redelay");

	private static final String FOLDER = "dashboard/";

	/**
	 * The prefix of all links of the page, as it is in the jar.
	 */
	private static final String PREFIX = "=\"" + ID.toLowerCaseString() + "/";

	/**
	 * Nothing else is served, and nothing of another folder.
	 */
	private static final Pattern FILE = Pattern
		.compile("[A-Za-z0-9][A-Za-z0-9-]*(\\.[A-Za-z0-9-]+)*\\.(js|css|svg|txt)");

	private static final Map<String, MimeType> TYPES = Map.of("js", utf8("text", "javascript"), "css",
			utf8("text", "css"), "svg", utf8("image", "svg+xml"), "txt", utf8("text", "plain"));

	private final Supplier<PathMappedEndpoints> paths;

	private final EndpointRights rights;

	private final Map<String, ?> place;

	/**
	 * Creates the endpoint.
	 * @param paths where the endpoints are, known when all are
	 * @param rights the rights of users
	 */
	public DashboardEndpoint(Supplier<PathMappedEndpoints> paths, EndpointRights rights) {
		this(paths, rights, Map.of());
	}

	/**
	 * Creates the endpoint of one of several sources.
	 * @param paths where the endpoints are, known when all are
	 * @param rights the rights of users
	 * @param place {@code source}, the name of the source; {@code overview}, the address
	 * of the list of all sources, relative to the page; {@code sources}, for each of them
	 * its {@code name} and its {@code page}
	 */
	public DashboardEndpoint(Supplier<PathMappedEndpoints> paths, EndpointRights rights, Map<String, ?> place) {
		this.paths = paths;
		this.rights = rights;
		this.place = Map.copyOf(place);
	}

	/**
	 * The page. Its links are relative to it, so they hold behind any prefix.
	 * @return HTML
	 * @throws IOException if the page cannot be read
	 */
	@ReadOperation(produces = "text/html;charset=UTF-8")
	public String page() throws IOException {
		String root = root(ID, "redelay");
		String page = file("index.html").getContentAsString(StandardCharsets.UTF_8);
		return page.replace(PREFIX, "=\"" + root.substring(root.lastIndexOf('/') + 1) + "/");
	}

	/**
	 * A file of the page, or {@code config}, which has the paths of the other endpoints,
	 * relative to the page, and the rights of the user there.
	 * @param user the user
	 * @param file the name of the file
	 * @return the file, or an {@link ErrorView}
	 */
	@ReadOperation(produces = { "text/javascript", "text/css", "text/plain", "image/svg+xml", "application/json" })
	public WebEndpointResponse<Object> file(SecurityContext user, @Selector String file) {
		if (file.equals("config")) {
			return new WebEndpointResponse<>(config(user), new MimeType("application", "json"));
		}
		if (FILE.matcher(file).matches()) {
			Resource resource = file(file);
			MimeType type = TYPES.get(StringUtils.getFilenameExtension(file));
			if (resource.exists() && type != null) {
				return new WebEndpointResponse<>(resource, type);
			}
		}
		ErrorView error = ErrorView.of(ErrorView.Kind.UNKNOWN_PATH, null,
				"The page has no file " + ErrorView.quote(file));
		return new WebEndpointResponse<>(error, error.status(), new MimeType("application", "json"));
	}

	private Map<String, Object> config(SecurityContext user) {
		String up = "../".repeat(StringUtils.countOccurrencesOf(root(ID, "redelay"), "/"));
		Map<String, Object> config = new LinkedHashMap<>();
		config.put("queues", up + root(EndpointId.of("queues"), "queues"));
		config.put("locks", up + root(EndpointId.of("locks"), "locks"));
		String version = DashboardEndpoint.class.getPackage().getImplementationVersion();
		if (version != null) {
			config.put("version", version);
		}
		config.put("write", this.rights.mayWrite(user));
		config.put("payloads", this.rights.seesPayloads(user));
		config.put("stacks", this.rights.seesStacks(user));
		config.putAll(this.place);
		return config;
	}

	private String root(EndpointId id, String otherwise) {
		String root = this.paths.get().getRootPath(id);
		return (root != null) ? StringUtils.trimLeadingCharacter(root, '/') : otherwise;
	}

	private static Resource file(String name) {
		return new ClassPathResource(FOLDER + name, DashboardEndpoint.class);
	}

	private static MimeType utf8(String type, String subtype) {
		return new MimeType(type, subtype, StandardCharsets.UTF_8);
	}

}
