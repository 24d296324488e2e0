/**
 * What most guessed passwords are made of, in lower case: people add a capital letter, a number and a symbol to one of
 * these, because the composition rules ask for them.
 */
const STEMS = `
  password passwort passwd passw pass passcode passphrase passme pass@word mypassword mypass newpassword newpass
  oldpassword pwd pword motdepasse contrasena contrasenya clave senha parola haslo heslo wachtwoord losenord salasana
  adgangskode jelszo sifre kennwort geheim secret secrets topsecret secreto segredo segreto mysecret keyword codeword
  letmein letmeinnow letme openup opensesame open access accessme enter entry login logmein signin signup logon
  welcome welcomeback welkom willkommen bienvenue bienvenido benvenuto bemvindo hello helloworld hallo halloween hola
  ciao bonjour salut servus hejsan ahoj merhaba namaste goodbye goodmorning howdy whatsup

  admin administrator administrador adminadmin root toor superuser sysadmin system sysop manager master webmaster
  support service helpdesk office company business work worker employee staff team user username guest visitor demo
  test tester testing testtest testuser temp temporary trial sample example default change changeme changeit please
  pleasechange reset initial first firsttime newuser member account server database oracle mysql postgres cisco router
  network internet intranet wireless wifi wlan modem computer laptop desktop keyboard mouse monitor printer windows
  linux ubuntu debian apple iphone ipad macbook android samsung galaxy nokia sony lenovo dell google gmail yahoo
  hotmail outlook microsoft facebook instagram twitter youtube whatsapp tiktok snapchat linkedin amazon netflix
  spotify paypal skype steam roblox minecraft fortnite playstation xbox nintendo pokemon pikachu zelda mario sonic
  tetris warcraft counterstrike callofduty adobe photoshop cookie coding coder developer hacker hacked hackme security
  secure safe safety private privacy key keys token

  qwerty qwertyu qwertyui qwertyuiop qwert qwer qwe qwertz qwertzu qwertzui qwertzuiop azerty azertyuiop asdf asdfg
  asdfgh asdfghj asdfghjk asdfghjkl asd asdasd qweasd qweasdzxc qweqwe zxc zxcv zxcvb zxcvbn zxcvbnm yxcvbnm zaq
  zaqwsx zaq1xsw2 zaq12wsx 1qaz 1qaz2wsx 1qaz@wsx 1qazxsw2 1qaz2wsx3edc qaz qazwsx qazwsxedc qazxsw wsx wsxedc edc
  edcrfv 1q2w3e 1q2w3e4r 1q2w3e4r5t 1q2w3e4r5t6y q1w2e3 q1w2e3r4 q1w2e3r4t5 qw12 qwer1234 poiu poiuy poiuyt poiuytrewq
  lkjh lkjhg lkjhgfdsa mnbv mnbvc mnbvcxz ytrewq dvorak

  aa abc abcd abcde abcdef abcdefg abcdefgh abcdefghi abcabc abcxyz aabbcc aaabbb xyz xyzxyz xxx zzz abba aaaa aaaaaa
  aaaaaaa aaaaaaaa bbbb cccc xxxx xxxxxx zzzz zzzzzz a1b2c3 a1b2c3d4 a1s2d3 a1s2d3f4 abc123 123abc 123qwe qwe123
  onetwothree onetwothreefour zero one two three four five six seven eight nine ten eins zwei drei null

  spring summer autumn fall winter printemps automne hiver fruehling fruhling sommer herbst verano otono invierno
  primavera estate autunno inverno season holiday holidays vacation weekend birthday newyear christmas xmas easter
  january february march april may june july august september october november december januar februar maerz marz mai
  juni juli oktober dezember enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre
  janvier fevrier mars avril juin juillet aout septembre octobre novembre decembre monday tuesday wednesday thursday
  friday saturday sunday montag dienstag mittwoch donnerstag freitag samstag sonntag lundi mardi mercredi jeudi
  vendredi samedi dimanche lunes martes miercoles jueves viernes sabado domingo today tomorrow tonight morning evening
  midnight forever always never whatever nothing something anything everything

  love lover lovely loveyou lovers loveme iloveu iloveyou iloveme iloveyoubaby iloveyou2 trustno1 trustme believe
  teamo tequiero tiamo jetaime ichliebedich liebe schatz amor amore amour mylove mylife mybaby truelove sweetheart
  sweet sweety sweetie honey honeybunny baby babe babygirl babyboy babyblue angel angels angelo heart hearts kiss
  kisses kissme hug smile smiley happy happyday lucky luck beautiful beauty pretty cute cutie handsome sexy hottie hot
  hotgirl hotstuff bigboy badboy badgirl goodgirl goodboy princess prince queen king kingdom princesa prinzessin
  princesse lady ladies girl girls boy boys gangsta gangster playboy player friend friends bestfriend bff family
  mother father mama papa mommy daddy mom dad sister brother grandma grandpa wife husband

  monkey dragon dragons tiger tigers lion lions bear bears eagle eagles falcon falcons hawk hawks wolf wolves panther
  panthers jaguar cheetah leopard puma cobra snake viper python spider spiderman scorpion shark dolphin dolphins whale
  fish turtle frog froggy rabbit bunny kitty kitten cat cats hellokitty dog dogs doggy doggie puppy horse horses pony
  unicorn chicken duck bird birds parrot penguin panda koala elephant giraffe zebra gorilla donkey squirrel hamster
  rat bull bulldog bulldogs butterfly ladybug bee phoenix raven ravens robin swan

  football footbal futbol fussball soccer baseball softball basketball volleyball hockey tennis golf golfer rugby
  cricket boxing wrestling racing running swimming skiing surfing skate skateboard snowboard fishing hunting hunter
  ranger rangers soldier marine marines army navy airforce police fireman pilot doctor nurse teacher student champion
  champions winner winners legend goal goalkeeper sport sports coach striker liverpool arsenal chelsea manutd
  manchester manunited barcelona barca realmadrid madrid juventus milan intermilan bayern dortmund schalke celtic
  everton tottenham benfica sporting porto ajax galatasaray fenerbahce besiktas flamengo corinthians palmeiras
  saopaulo santos steelers cowboys yankees redsox lakers bulls celtics packers patriots giants broncos raiders dodgers
  cubs maverick ferrari porsche mercedes bmw audi toyota honda nissan ford mustang camaro corvette chevy chevrolet
  harley yamaha kawasaki suzuki ducati volvo jeep hummer

  sunshine sunflower sun sunny moon moonlight star stars starlight superstar rockstar rainbow flower flowers rose
  roses lily daisy jasmine orchid tulip blossom garden forest mountain river ocean beach island water fire ice snow
  snowball snowman snowflake storm thunder lightning rain sky skywalker heaven paradise earth world planet universe
  silver gold golden diamond diamonds pearl ruby crystal emerald sapphire platinum money cash dollar dollars rich
  million millionaire billionaire bitcoin crypto casino poker joker jackpot bingo magic magical wizard merlin

  black white red blue green yellow orange purple pink brown grey gray schwarz weiss blau gruen rouge bleu vert
  chocolate chocolat cookies candy sugar cupcake cake banana apples cherry strawberry peach mango lemon pineapple
  coffee tea beer wine vodka whisky whiskey tequila pizza pasta burger cheese cheeser bacon butter peanut pepper
  ginger cinnamon vanilla pumpkin popcorn noodle potato tomato

  superman batman ironman hulk wolverine captain thor avengers marvel starwars startrek darthvader vader yoda jedi
  hansolo gandalf hobbit frodo matrix neo trinity terminator rambo rocky jamesbond bond007 harrypotter potter hogwarts
  gryffindor hermione naruto sasuke goku vegeta dragonball onepiece simpson simpsons homer bart southpark cartman
  scooby scoobydoo snoopy garfield mickey mickeymouse minnie donald disney tinkerbell winnie pooh tigger simba nemo
  shrek barbie batgirl catwoman metallica nirvana slipknot greenday linkinpark blink eminem tupac beatles elvis
  madonna rihanna beyonce shakira bieber taylor onedirection guitar drums drummer piano music musica rocknroll rock
  punk metal hiphop rap dance dancer dancing party disco radio

  michael michelle jessica jennifer jordan joshua matthew daniel andrew anthony joseph david james john johnny robert
  thomas william charlie charles christopher chris christian nicholas nicole nicola ashley amanda samantha sarah
  stephanie elizabeth lauren rebecca rachel heather hannah melissa danielle brandon justin jason ryan kevin brian eric
  steven steve mark mike martin peter paul george richard patrick alexander alex alexandra alexandre alejandro andrea
  andreas anna annie antonio carlos carmen claudia cristina daniela diego eduardo fernando francisco gabriel gabriela
  hector isabel isabella ivan jorge jose juan julia julian karina laura leonardo lucas lucia luis manuel marco maria
  mariana marie marina miguel monica natalia natasha nathan olivia oliver oscar pablo patricia pedro rafael ricardo
  roberto rosa sandra sebastian sergio silvia sofia sophie stefan susana tamara teresa valentina vanessa veronica
  victor victoria yolanda mohamed mohammed muhammad ahmed ali fatima hassan ibrahim mustafa omar yusuf mehmet emre
  ayse vladimir dmitri igor olga svetlana tatiana sergey krishna ganesh ganesha rahul priya amit sandeep deepak kumar
  singh lakshmi sairam jesus jesuschrist christ christus god godisgood godislove allah buddha bible church faith grace
  hope blessed blessing amen hallelujah heavenly

  london paris berlin hamburg muenchen munchen koeln wien zurich amsterdam rotterdam brussels lisboa roma milano
  napoli torino venezia moscow moskva warszawa praha budapest istanbul ankara athens dublin belfast glasgow edinburgh
  newyork newyorkcity brooklyn boston chicago dallas houston miami orlando denver seattle portland california texas
  florida hawaii vegas lasvegas hollywood toronto montreal vancouver mexico brasil brazil argentina colombia chile
  peru espana spain france deutschland germany italia italy portugal england britain scotland ireland wales holland
  nederland belgium sweden sverige norway norge denmark danmark finland suomi poland polska russia ukraine turkey
  turkiye greece india bharat pakistan china japan tokyo korea seoul australia sydney melbourne canada america
  american usa africa egypt israel jerusalem nigeria kenya philippines pilipinas manila indonesia jakarta malaysia
  singapore thailand bangkok vietnam hanoi

  shadow killer killme killall kill death dead devil demon evil hell hellfire satan vampire zombie ghost ninja samurai
  pirate pirates assassin sniper warrior warriors knight viking spartan gladiator hero heroes destroyer danger
  dangerous crazy loco stupid idiot fuckyou fuckoff fuckme asshole bitch bullshit shit crap damn biteme suckit loser
  cheater freedom liberty peace justice power powerful energy dynamite bomb boom rocket turbo nitro speed speedy fast
  flash blaze inferno extreme xtreme ultimate infinity eternal eternity destiny fortune victory genius awesome amazing
  excellent fantastic wonderful perfect super superb cool coolguy coolio chill relax enjoy fun funny funtime lol lmao
  omg haha hahaha lalala blabla blahblah abracadabra bubbles buster pookie precious sparky spike bella max maxwell
  milo cooper bailey molly buddy toby jake jack jackson jasper oreo rusty smokey casper duke zeus apollo athena
  hercules titan titanic atlantis excalibur camelot hunter2 access14 ncc1701 thx1138 dragon69 rush2112 red123 blink182
  fuckyou2 g00gle nascar corona covid lockdown quarantine vaccine trump obama putin biden ethereum dogecoin chatgpt
`;

/** The stems. They are compared with new passwords; see `isGuessable`. */
export const COMMON_STEMS: readonly string[] = STEMS.trim().split(/\s+/);
