repositories {
	mavenLocal()
	mavenCentral()
}

dependencies {
	implementation(platform("io.redelay:redelay-bom:0.1.0-SNAPSHOT"))
	implementation("io.redelay:redelay-spring-boot-starter")
	// A Redis for development, until you say where yours is.
	testAndDevelopmentOnly("io.redelay:redelay-embedded-redis:0.1.0-SNAPSHOT")
}
