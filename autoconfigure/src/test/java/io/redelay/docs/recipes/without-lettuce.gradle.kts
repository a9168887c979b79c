dependencies {
	implementation("io.redelay:redelay-spring-boot-starter") {
		exclude(group = "io.lettuce", module = "lettuce-core")
	}
}
